export { RegistryDouble } from './registry-double.ts';
export { layerOf, type TestImage, testImage, testLayer } from './test-image.ts';
