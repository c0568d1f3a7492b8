export const IMAGE_NAMES = ['pause', 'busybox', 'scratch', 'debian-git', 'mock', 'baggageclaim'] as const;

export type ImageName = (typeof IMAGE_NAMES)[number];

/** The name under which a node knows the image. `.test` never resolves: nothing can pull it from anywhere by mistake. */
export function imageRef(name: ImageName): string {
  return `seaplane.test/${name}:dev`;
}

export function isImageName(text: string): text is ImageName {
  return (IMAGE_NAMES as readonly string[]).includes(text);
}
