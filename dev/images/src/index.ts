export { type BuiltImage, buildImages, imageRootfs } from './build-images.ts';
export { IMAGE_NAMES, imageRef } from './image-names.ts';
