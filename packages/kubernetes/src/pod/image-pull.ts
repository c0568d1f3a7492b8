/** The meaning of a failed pull. */
export interface PullFailure {
  /** Another try can't help: the image does not exist, or its name is wrong. */
  readonly fatal: boolean;
  readonly text: string;
}

/** How long a registry or network that is away has to come back. */
export const PULL_PATIENCE_MS = 5 * 60_000;

/** Reasons of a waiting container that mean that its image can't be pulled. */
const PULL_REASONS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
const HOPELESS_REASONS = new Set(['InvalidImageName', 'ErrImageNeverPull', 'SignatureValidationFailed']);

/** Answers of registries and containerd that another try would not change. */
const HOPELESS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /unauthorized|authentication required|access denied|denied:|403 forbidden|insufficient_scope/i,
    'the registry refuses it: it may not exist, or the credentials are missing or wrong',
  ],
  [/no match for platform|no matching manifest/i, 'it has no version for the processor of the node'],
  [/not found|manifest unknown|name unknown|does not exist/i, 'there is no such image: check its name and tag'],
  [/invalid reference format|couldn't parse image/i, "that is not an image's name"],
];

export function isPullReason(reason: string | undefined): boolean {
  return reason !== undefined && PULL_REASONS.has(reason);
}

export function judgePull(image: string, reason: string, message: string): PullFailure {
  const shown = hideStorePaths(image);
  const said = hideStorePaths(withoutEnvelope(message));
  const hopeless = HOPELESS.find(([pattern]) => pattern.test(message));
  if (hopeless) return { fatal: true, text: `the image ${shown} can't be pulled: ${hopeless[1]} (${said})` };
  const fatal = HOPELESS_REASONS.has(reason);
  return { fatal, text: `the image ${shown} can't be pulled: ${said || reason}` };
}

/** Only nodes should know the names of images in a store, and logs have other readers. */
export function hideStorePaths(text: string): string {
  return text.replace(/\b((?:127\.0\.0\.1|localhost):\d+\/(?:v2\/)?)[^\s"'@:]+/g, '$1…');
}

/** Removes what gRPC and the kubelet wrap around the cause. */
function withoutEnvelope(message: string): string {
  return message
    .replace(/^Back-off pulling image "[^"]*"(: ErrImagePull)?:? ?/, '')
    .replace(/rpc error: code = \w+ desc = /g, '')
    .replace(/failed to pull and unpack image "[^"]*": /, '')
    .replace(/failed to resolve (reference|image)( "[^"]*")?: /, '')
    .trim();
}
