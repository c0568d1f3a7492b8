/** Keeps the answer to a question until it is forgotten. Callers at the same time share one question; a failed one is not kept. */
export class Remembered<T> {
  #answer: Promise<T> | undefined;

  get(ask: () => Promise<T>): Promise<T> {
    this.#answer ??= ask();
    const answer = this.#answer;
    return answer.catch((error: Error) => {
      if (this.#answer === answer) this.#answer = undefined;
      throw error;
    });
  }

  forget(): void {
    this.#answer = undefined;
  }
}
