/** JSON that is sent as the text it already is: an integer of any size keeps its digits. */
export class JsonText<Answer> {
  readonly text: string;
  /** Only for the compiler. */
  declare readonly answer: Answer;

  constructor(text: string) {
    this.text = text;
  }
}
