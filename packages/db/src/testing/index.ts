export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.ts';
export type { TestServer } from './test-server.ts';
