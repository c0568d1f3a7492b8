/** The body of every 404. fly prints the details. */
export interface NotFoundAnswer {
  readonly errors: readonly [{ readonly title: 'Not Found'; readonly detail: string; readonly status: '404' }];
}

/** The body of a 400 to `PUT .../config`. */
export interface ConfigErrorsAnswer {
  readonly errors: readonly string[];
}
