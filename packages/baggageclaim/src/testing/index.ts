// packages/supervisor's tests speak to the supervisor as baggageclaim does.
export { encodeFrame, FrameDecoder } from '../protocol/frames.ts';
export type { ExitRecord, ImageAnswer } from '../protocol/messages.ts';
export {
  FRAME,
  forgetFrame,
  hijackFrame,
  readFields,
  resizeFrame,
  runFrame,
  SUPERVISOR_PROTOCOL,
  type SupervisedProcess,
  signalFrame,
} from '../server/supervisor/supervisor-frames.ts';
export { compileBaggageclaim, supervisorProgram } from './programs.ts';
export { type RelayedServer, relayedServer, serveTestRelay } from './relayed.ts';
