import { describe, expect, test } from 'vitest';
import { localUserClaims } from './claims.ts';
import { atLeast, isAdmin, rolesIn } from './roles.ts';

const bob = { ...localUserClaims('bob', 'fly'), groups: ['crew'] };

describe('rolesIn', () => {
  test('[API-ROLE1] users and groups are compared without regard to case, with their connector', () => {
    expect(rolesIn({ auth: { owner: { users: ['local:BOB'] } } }, bob)).toEqual(['owner']);
    expect(rolesIn({ auth: { viewer: { groups: ['local:Crew'] } } }, bob)).toEqual(['viewer']);
    expect(rolesIn({ auth: { owner: { users: ['github:bob'] } } }, bob)).toEqual([]);
  });

  test('[API-ROLE1] a user matches by id and by preferred name; by the other name only without a preferred one', () => {
    const github = { ...bob, connector: 'github', userId: '7', userName: 'bobby', name: 'Bob' };
    for (const user of ['github:7', 'github:bobby']) {
      expect(rolesIn({ auth: { member: { users: [user] } } }, github)).toEqual(['member']);
    }
    expect(rolesIn({ auth: { member: { users: ['github:Bob'] } } }, github)).toEqual([]);
    expect(rolesIn({ auth: { member: { users: ['github:Bob'] } } }, { ...github, userName: '' })).toEqual(['member']);
  });

  test('[API-ROLE1] an empty name matches nobody', () => {
    const nameless = { ...bob, userId: '', userName: '', name: '', groups: [''] };
    expect(rolesIn({ auth: { owner: { users: ['local:'], groups: ['local:'] } } }, nameless)).toEqual([]);
  });

  test('[API-ROLE1] Cloud Foundry is written cf', () => {
    expect(rolesIn({ auth: { owner: { users: ['cf:bob'] } } }, { ...bob, connector: 'cloudfoundry' })).toEqual([
      'owner',
    ]);
  });

  test('[API-ROLE2] everybody has a role that lists nobody', () => {
    expect(rolesIn({ auth: { viewer: {} } }, bob)).toEqual(['viewer']);
    expect(rolesIn({ auth: { viewer: { users: [], groups: [] } } }, bob)).toEqual(['viewer']);
  });
});

test('[API-ROLE3] owner is more than member, member more than operator, operator more than viewer', () => {
  expect(atLeast('owner', 'member')).toBe(true);
  expect(atLeast('viewer', 'pipeline-operator')).toBe(false);
  expect(atLeast('member', 'member')).toBe(true);
});

test('[API-ROLE4] the owner of an admin team is an administrator, the owner of another team is not', () => {
  const auth = { owner: { users: ['local:bob'] } };
  expect(isAdmin([{ admin: true, auth }], bob)).toBe(true);
  expect(isAdmin([{ admin: false, auth }], bob)).toBe(false);
  expect(isAdmin([{ admin: true, auth: { member: { users: ['local:bob'] } } }], bob)).toBe(false);
});
