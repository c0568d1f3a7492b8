/**
 * The claims of a token: what its bearer may do, where, and until when. Web signs a token for each request
 * (`client/signer.ts`), the server verifies it (`server/http/grants.ts`). Sent as `Authorization: Bearer TOKEN`.
 */
export interface Grant {
  /** The sandbox or store that the token is for. Every other one refuses it. */
  readonly aud: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly scope: readonly GrantScope[];
}

export type GrantScope =
  /** Start, follow and signal the step's process. */
  | 'run'
  | 'hijack'
  /** In a store: list its artifacts; keep, delete, or make an image of the artifact with this id. */
  | 'list'
  | `put:${string}`
  | `delete:${string}`
  | `image:${string}`
  /** In a store: make an image of a registry ready for sandboxes. */
  | 'registry-image'
  /** In a store: connect to the sidecar at this address, for web. */
  | `relay:${string}`
  /** Read below one directory, or one artifact of a store. A pod gets such a token to pull another pod's output. */
  | `read:${string}`;
