import {
  type Access,
  type Credentials,
  type Mirror,
  type Platform,
  parseRepository,
  type Repository,
} from '@seaplane/oci';
import { Fields } from '../fields.ts';

export interface ImageSource {
  /** As the user wrote it. */
  readonly name: string;
  readonly repository: Repository;
  readonly tag?: string;
  readonly variant?: string;
  readonly semverConstraint?: string;
  readonly preReleases: boolean;
  readonly tagRegex?: string;
  readonly createdAtSort: boolean;
  readonly access: Access;
  readonly mirrors: readonly Mirror[];
  readonly platform?: Partial<Platform>;
}

const KNOWN = [
  'repository',
  'insecure',
  'tag',
  'variant',
  'semver_constraint',
  'pre_releases',
  'tag_regex',
  'created_at_sort',
  'username',
  'password',
  'registry_mirror',
  'ca_certs',
  'debug',
  'platform',
];
const UNSUPPORTED = [
  'aws_access_key_id',
  'aws_secret_access_key',
  'aws_session_token',
  'aws_region',
  'aws_ecr_registry_id',
  'aws_role_arn',
  'aws_role_arns',
  'aws_account_id',
  'azure_acr',
  'azure_tenant_id',
  'azure_client_id',
  'azure_client_secret',
  'content_trust',
];

/** `params` may bring other credentials than the source has. */
export function parseImageSource(source: Readonly<Record<string, unknown>>, params: Fields): ImageSource {
  const fields = new Fields('source', source);
  fields.allow(KNOWN, UNSUPPORTED);
  const name = fields.need('repository');
  const [tag, variant, semverConstraint, tagRegex] = ['tag', 'variant', 'semver_constraint', 'tag_regex'].map((key) =>
    fields.text(key),
  );
  const credentials = credentialsIn(fields, params);
  const mirror = fields.record('registry_mirror');
  const platform = platformIn(params) ?? platformIn(fields);
  return {
    name,
    repository: parseRepository(name),
    ...(tag !== undefined && { tag }),
    ...(variant !== undefined && { variant }),
    ...(semverConstraint !== undefined && { semverConstraint }),
    preReleases: fields.flag('pre_releases'),
    ...(tagRegex !== undefined && { tagRegex }),
    createdAtSort: fields.flag('created_at_sort'),
    access: { ...(credentials && { credentials }), insecure: fields.flag('insecure'), ca: fields.texts('ca_certs') },
    mirrors: mirror ? [mirrorOf(mirror)] : [],
    ...(platform && { platform }),
  };
}

function credentialsIn(fields: Fields, params: Fields): Credentials | undefined {
  const username = fields.text('username') ?? params.text('username');
  const password = fields.text('password') ?? params.text('password');
  return username !== undefined && password !== undefined ? { username, password } : undefined;
}

function mirrorOf(mirror: Fields): Mirror {
  const credentials = credentialsIn(mirror, new Fields('', {}));
  return { host: mirror.need('host'), ...(credentials && { credentials }) };
}

function platformIn(fields: Fields): Partial<Platform> | undefined {
  const platform = fields.record('platform');
  const [architecture, os] = [platform?.text('architecture'), platform?.text('os')];
  if (!platform) return undefined;
  return { ...(architecture !== undefined && { architecture }), ...(os !== undefined && { os }) };
}
