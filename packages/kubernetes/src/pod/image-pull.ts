/** How a pull that failed is to be taken. */
export interface PullFailure {
  /** Trying again can't help: a name that does not exist stays wrong. */
  readonly fatal: boolean;
  readonly text: string;
}

/** A registry or network that is away gets this long to come back. */
export const PULL_PATIENCE_MS = 5 * 60_000;

/** Reasons of a waiting container that mean its image can't be had. */
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

/** What registries and containerd say when another try would say the same. */
const HOPELESS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /unauthorized|authentication required|access denied|denied:|403 forbidden|insufficient_scope/i,
    'the registry refuses it: it may not exist, or the credentials are missing or wrong',
  ],
  [/no match for platform|no matching manifest/i, 'it has no version for the processor of the node'],
  [/not found|manifest unknown|name unknown|does not exist/i, 'there is no such image: check its name and tag'],
  [/invalid reference format|couldn't parse image/i, 'that is no name of an image'],
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

/** Images of a store have names that only the node should know, and logs have other readers. */
export function hideStorePaths(text: string): string {
  return text.replace(/\b((?:127\.0\.0\.1|localhost):\d+\/(?:v2\/)?)[^\s"'@:]+/g, '$1…');
}

/** What gRPC and the kubelet wrap around the cause. */
function withoutEnvelope(message: string): string {
  return message
    .replace(/^Back-off pulling image "[^"]*"(: ErrImagePull)?:? ?/, '')
    .replace(/rpc error: code = \w+ desc = /g, '')
    .replace(/failed to pull and unpack image "[^"]*": /, '')
    .replace(/failed to resolve (reference|image)( "[^"]*")?: /, '')
    .trim();
}
