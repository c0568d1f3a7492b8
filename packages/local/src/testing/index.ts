export { killAgent, openTestHost, type TestHost, whyNoLocalHost } from './test-host.ts';
