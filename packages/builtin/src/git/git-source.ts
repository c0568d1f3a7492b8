import { Fields } from '../fields.ts';

export interface GitSource {
  readonly uri: string;
  readonly branch?: string;
  readonly paths: readonly string[];
  readonly ignorePaths: readonly string[];
  readonly sparsePaths: readonly string[];
  readonly tagFilter?: string;
  readonly tagRegex?: string;
  readonly tagBehaviour: 'match_tagged' | 'match_tag_ancestors';
  readonly fetchTags?: boolean;
  readonly versionDepth: number;
  readonly skipsCiSkip: boolean;
  readonly include: MessageFilter;
  readonly exclude: MessageFilter;
  readonly fields: Fields;
}

export interface MessageFilter {
  readonly patterns: readonly string[];
  readonly allMatch: boolean;
}

const KNOWN = [
  'uri',
  'branch',
  'private_key',
  'private_key_user',
  'private_key_passphrase',
  'username',
  'password',
  'credential_hosts',
  'paths',
  'sparse_paths',
  'ignore_paths',
  'skip_ssl_verification',
  'tag_filter',
  'tag_regex',
  'tag_behaviour',
  'fetch_tags',
  'submodule_credentials',
  'git_config',
  'disable_ci_skip',
  'commit_verification_keys',
  'commit_verification_key_ids',
  'gpg_keyserver',
  'commit_filter',
  'version_depth',
  'debug',
];
const UNSUPPORTED = [
  'forward_agent',
  'https_tunnel',
  'git_crypt_key',
  'github_app_id',
  'github_app_installation_id',
  'github_app_private_key',
  'search_remote_refs',
  'version_type',
  'branch_filters',
  'branch_regex',
  'tag_filters',
  'tag_sort',
];

export function parseGitSource(source: Readonly<Record<string, unknown>>): GitSource {
  const fields = new Fields('source', source);
  fields.allow(KNOWN, UNSUPPORTED);
  const [branch, tagFilter, tagRegex] = ['branch', 'tag_filter', 'tag_regex'].map((name) => fields.text(name)?.trim());
  const tagBehaviour = fields.text('tag_behaviour') ?? 'match_tagged';
  const versionDepth = fields.count('version_depth') ?? 1;
  const fetchTags = fields.optionalFlag('fetch_tags');
  if (tagFilter && tagRegex) throw new Error('source.tag_filter and source.tag_regex exclude each other');
  if (tagBehaviour !== 'match_tagged' && tagBehaviour !== 'match_tag_ancestors') {
    throw new Error('source.tag_behaviour must be match_tagged or match_tag_ancestors');
  }
  if (versionDepth < 1) throw new Error('source.version_depth must be at least 1');
  const filter = fields.record('commit_filter');
  return {
    uri: fields.need('uri').trim(),
    ...(branch && { branch }),
    paths: fields.texts('paths'),
    ignorePaths: fields.texts('ignore_paths'),
    sparsePaths: fields.texts('sparse_paths'),
    ...(tagFilter && { tagFilter }),
    ...(tagRegex && { tagRegex }),
    tagBehaviour,
    ...(fetchTags !== undefined && { fetchTags }),
    versionDepth,
    skipsCiSkip: !fields.flag('disable_ci_skip'),
    include: { patterns: filter?.texts('include') ?? [], allMatch: filter?.flag('include_all_match') ?? false },
    exclude: { patterns: filter?.texts('exclude') ?? [], allMatch: filter?.flag('exclude_all_match') ?? false },
    fields,
  };
}
