import type { ManagerType } from './manager.ts';
import { dummy } from './managers/dummy.ts';
import { idtoken } from './managers/idtoken.ts';

/** Every kind of credential manager that this version has. A new one is a file in `managers/` and a line here. */
export const MANAGER_TYPES: readonly ManagerType[] = [dummy, idtoken];
