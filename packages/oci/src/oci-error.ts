export type OciErrorCode =
  | 'bad-digest' // a string that is no sha256 digest
  | 'digest-mismatch' // content that is not what its descriptor says
  | 'unknown-blob' // no content with that digest here
  | 'tar-failed' // GNU tar could not read the tree, or it changed meanwhile
  | 'bad-value'; // a value that has no canonical JSON form

export class OciError extends Error {
  readonly code: OciErrorCode;

  constructor(code: OciErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OciError';
    this.code = code;
  }
}
