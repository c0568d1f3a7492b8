export { type BuiltImage, buildImages, mockRootfs } from './build-images.ts';
export { IMAGE_NAMES, type ImageName, imageRef } from './image-names.ts';
