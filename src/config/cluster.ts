/** `PLATFORM_CLUSTER_CONFIG`: sources of pipes, and addresses of segments outside this process. */

import { z } from 'zod'
import { isJsonObject } from '../text/json.ts'
import { misspelt, messageOf } from './settings.ts'

/** Git repository of pipes; the token is never part of an address. */
export type GitRepository = {
  readonly uri: string
  /** Branch; absent for the default one of the repository. */
  readonly branch?: string
  readonly username?: string
  readonly token?: string
}

/** `PLATFORM_CLUSTER_CONFIG` in one spelling. */
export type ClusterConfig = {
  readonly pipeRepositories: Readonly<Record<string, GitRepository>>
  /** Directories beside `pipes`, relative to the working directory. */
  readonly resources: { readonly paths: readonly string[] }
  /** Addresses by the exact names of segments. */
  readonly serviceDiscovery: Readonly<Record<string, z.output<typeof service>>>
}

/** `ssh://`, `https://`, `http://`, `file://`, `user@host:path` or a path: what git may be asked to fetch from. */
export const isGitAddress = (uri: string): boolean => {
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  if (uri === '' || uri.length > 2000 || uri.startsWith('-') || /[\u0000-\u0020\u007f]/.test(uri)) {
    return false
  }
  if (/^[a-z][a-z0-9+.-]*::/i.test(uri)) return false
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(uri)?.[1]
  if (scheme === undefined) return true
  const url = URL.parse(uri)
  if (url === null || url.password !== '') return false
  return /^(ssh|file)$/i.test(scheme) || (/^https?$/i.test(scheme) && url.username === '')
}

/** Whether git takes a text as a branch name, and not as an option, pattern or range of commits. */
export const isBranch = (name: string): boolean =>
  name.length <= 200 &&
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  /^[^\u0000-\u0020\u007f~^:?*[\\-][^\u0000-\u0020\u007f~^:?*[\\]*$/.test(name) &&
  !/\.\.|@\{|\/\/|^\/|[/.]$|\.lock$/.test(name)

const isService = (address: string) =>
  /^https?:$/.test(URL.parse(address)?.protocol ?? '') && !/^https?:\/\/[^/?#]*@/i.test(address)

/** Schema of a text where null and blank mean absent, as in generated configurations. */
const optional = (test: (text: string) => boolean, expected: string) =>
  z
    .string(messageOf(expected))
    .nullish()
    .transform((text) => text?.trim() || undefined)
    .refine((text) => text === undefined || test(text), messageOf(expected))

const repository = z
  .strictObject(
    {
      uri: z
        .string(messageOf('the address of a git repository'))
        .refine(
          isGitAddress,
          messageOf(
            'an https, http, ssh or file address or a path, with username and token beside it',
          ),
        ),
      branch: optional(isBranch, 'the name of a branch'),
      username: optional(() => true, 'text'),
      token: optional(() => true, 'text'),
    },
    messageOf('an object of uri, branch, username and token'),
  )
  .transform(({ uri, branch, username, token }): GitRepository => ({
    uri,
    branch,
    username,
    token,
  }))

const resources = z.looseObject(
  { paths: z.array(z.string().min(1)).default([]) },
  messageOf('an object with paths, an array of directories'),
)

const service = z
  .preprocess(
    endpointsOf,
    z.object(
      {
        http: z
          .object({
            address: z.string().refine(isService, messageOf('an http(s) URL without credentials')),
            method: z
              .string()
              .default('POST')
              .transform((method) => method.toUpperCase())
              .pipe(z.enum(['POST', 'PUT'], messageOf('POST or PUT'))),
            headers: z.record(z.string(), z.string()).default({}),
          })
          .optional(),
        /** Plain name of a queue, in this process or at the configured broker, or a broker's URL with the queue as its path. */
        eventbus: z.object({ address: z.string().min(1) }).optional(),
      },
      messageOf('an object with http or eventbus'),
    ),
  )
  .refine(({ http, eventbus }) => http ?? eventbus, { error: 'must name http or eventbus' })

/** Content of `endpoints` where that is the only member, else the value itself. */
function endpointsOf(value: unknown): unknown {
  if (!isJsonObject(value) || Object.keys(value).join() !== 'endpoints') return value
  return isJsonObject(value['endpoints']) ? value['endpoints'] : value
}

/** Moves `resources` out of `pipeRepositories`, where older configurations have it, to the `resources` beside it. */
function withoutNestedResources(value: unknown): unknown {
  if (!isJsonObject(value) || !isJsonObject(value['pipeRepositories'])) return value
  const { resources: nested = {}, ...pipeRepositories } = value['pipeRepositories']
  const topLevel = value['resources'] ?? {}
  if (!isJsonObject(nested) || !isJsonObject(topLevel)) return value
  const paths = [nested['paths'] ?? [], topLevel['paths'] ?? []]
  return { ...value, pipeRepositories, resources: { paths: paths.flat() } }
}

/**
 * Schema of `PLATFORM_CLUSTER_CONFIG` that brings its spellings into one; keys that other services read are ignored. No problem
 * repeats a value, which may be a secret; it names the place only.
 */
export const clusterConfig = z.preprocess(
  withoutNestedResources,
  z
    .looseObject({
      pipeRepositories: z
        .record(z.string(), repository, messageOf('an object of name → repository'))
        .default({}),
      resources: resources.default({ paths: [] }),
      serviceDiscovery: z.preprocess(endpointsOf, z.record(z.string(), service)).default({}),
    })
    .superRefine(misspelt(['pipeRepositories', 'resources', 'serviceDiscovery']))
    .transform(({ pipeRepositories, resources: { paths }, serviceDiscovery }): ClusterConfig => ({
      pipeRepositories,
      resources: { paths: [...new Set(paths)] },
      serviceDiscovery,
    })),
)
