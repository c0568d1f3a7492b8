/** An answer that is JSON text already. Sent unchanged, so integers of any size keep their digits. */
export class JsonText<Answer> {
  readonly text: string;
  /** Only for the compiler. */
  declare readonly answer: Answer;

  constructor(text: string) {
    this.text = text;
  }
}
