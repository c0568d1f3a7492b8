export type OciErrorCode =
  | 'bad-digest' // a text that is not a sha256 digest
  | 'digest-mismatch' // content that differs from its descriptor
  | 'unknown-blob' // there is no content with that digest
  | 'tar-failed' // GNU tar could not read the tree, or the tree changed meanwhile
  | 'bad-value'; // a value that has no canonical JSON form

export class OciError extends Error {
  readonly code: OciErrorCode;

  constructor(code: OciErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OciError';
    this.code = code;
  }
}
