export { type BuiltImage, buildImages, mockRootfs } from './build-images.ts';
export { IMAGE_NAMES, imageRef } from './image-names.ts';
