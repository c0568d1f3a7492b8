export { hearSocketErrors } from '@seaplane/oci';
export { createClientFactory } from './client/client.ts';
export type { BaggageclaimClient, OutputItem, OutputPosition } from './client/client-interface.ts';
export { multiplexed, openStream } from './client/multiplexed.ts';
export { openRelay, type Relay } from './client/relay.ts';
export { createSigner, generateKeys, type Signer } from './client/signer.ts';
export { BaggageclaimError } from './protocol/baggageclaim-error.ts';
export { serverCertificate } from './protocol/certificate.ts';
export type { HijackInput, HijackOutput, HijackRequest, HijackStream } from './protocol/hijack.ts';
export type {
  ArtifactSource,
  ExitRecord,
  ImageAnswer,
  ProcessEnd,
  RegistryImageAnswer,
  RegistryImageRequest,
  RunInput,
  RunRequest,
  StoreLimits,
  WindowSize,
} from './protocol/messages.ts';
export { keepAlive, SESSION_MEMORY, STREAM_WINDOW } from './protocol/multiplex.ts';
export {
  ADDRESS_VARIABLE,
  AUTHORITY_VARIABLE,
  BUILD_DIRECTORY,
  CONTROL_DIRECTORY,
  directoriesBelow,
  IMAGE_PORT,
  INSTALL_SUPERVISOR,
  MOUNTS_VARIABLE,
  RECORDS_DIRECTORY,
  RELAY_PORT,
  RESOURCE_TYPE_VARIABLE,
  type SandboxDirectories,
  SIDECAR_DIRECTORY,
  SIDECAR_PORT,
  SUPERVISOR_PATH,
  sidecarPathOf,
  WITNESS_VARIABLE,
  type Witness,
} from './protocol/places.ts';
export { SharedWork } from './protocol/shared-work.ts';
