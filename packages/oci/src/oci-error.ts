export type OciErrorCode =
  | 'bad-digest' // a text that is not a sha256 digest
  | 'bad-reference' // a text that does not name an image
  | 'bad-document' // a manifest, index or configuration that cannot be used
  | 'digest-mismatch' // content that differs from its descriptor
  | 'unknown-blob' // there is no content with that digest
  | 'unknown-image' // the registry has no such repository, tag or digest (404)
  | 'registry-refused' // the registry wants other credentials (401, 403)
  | 'registry-failed' // the registry could not be reached, or answered with an error
  | 'tar-failed' // GNU tar could not read or write the tree, or the tree changed meanwhile
  | 'bad-value'; // a value that has no canonical JSON form

export class OciError extends Error {
  readonly code: OciErrorCode;

  constructor(code: OciErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OciError';
    this.code = code;
  }
}
