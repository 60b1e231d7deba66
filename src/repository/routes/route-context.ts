/** What the routes of the repository work with, and what they ask before a handler runs: key, permission, ids. */

import { Failure } from '../../errors.ts'
import { may, type ApiKeys } from '../../http/api-key.ts'
import type { App, AppContext, AppOptions } from '../../http/app.ts'
import { precondition } from '../../http/conditions.ts'
import { slots } from '../../http/keys/slots.ts'
import type { Limits } from '../../http/limits.ts'
import type { Profile } from '../../profile/profile.ts'
import { isId } from '../../rdf/ids.ts'
import { splitSuffix, type Format } from '../../rdf/media-types.ts'
import type { Catalogues } from '../catalogues.ts'
import type { Precondition, ResourceBody, WriteContext, WriteOutcome } from '../context.ts'
import type { Datasets } from '../datasets.ts'
import type { DeclaredResources } from '../declared-resources.ts'
import { unknownDistribution, type Distributions } from '../distributions.ts'
import type { ListDeps } from '../listing/lists.ts'
import type { DatasetMetrics } from '../dataset-metrics.ts'
import type { Vocabularies } from '../vocabularies.ts'
import { findById, type LocatedDataset } from '../writing/find-datasets.ts'
import { twinOfPermission } from './aliases.ts'
import { repositoryParameters } from './parameters.ts'
import { answerWrite, receivedBody, type Indexing, type WriteAnswer } from './responses.ts'

export type RouteOptions = {
  readonly indexing: Indexing
  readonly keys: ApiKeys
  readonly limits: Limits
  readonly profile: Profile
  /** Version of the platform, for the OpenAPI document. */
  readonly version: string
  readonly http: Omit<AppOptions, 'name'>
}

export type RouteContext = RouteOptions &
  WriteContext &
  ListDeps & {
    readonly app: App
    readonly catalogues: Catalogues
    readonly datasets: Datasets
    readonly vocabularies: Vocabularies
    readonly declared: DeclaredResources
    readonly distributions: Distributions
    readonly metrics: DatasetMetrics
    readonly guard: (guarded: Guarded) => void
    readonly locate: Locate
  }

/** Which requests need a key, and whose permission. */
type Guarded = {
  readonly methods: readonly string[]
  /** In the spelling of hono: `/catalogues/:catalogueId`. */
  readonly path: string
  /**
   * `catalogue` = that of the path parameter `catalogueId`; `platform` = `*` or a pattern; `later` = any known key, because
   * the handler calls `demandPermission`; a function answers the id of the catalogue that the requested resource is in
   * (`undefined` = none is named). It checks the ids of the path itself and fails when there is no such resource: any valid key
   * may know that.
   */
  readonly permission:
    | 'catalogue'
    | 'platform'
    | 'later'
    | ((c: AppContext) => Promise<string | undefined>)
}

/** Puts key, permission and ids before everything else that a write could be told, and lets one key write only so much at once. */
export function guards(app: App, keys: ApiKeys, { writesPerKey }: Limits): RouteContext['guard'] {
  const busy = slots({ atOnce: writesPerKey, limit: 'writesPerKey' })
  return ({ methods, path, permission }) => {
    app.on([...methods], [path], async (c, next) => {
      const { id } = keys.require(c)
      const parameters: Readonly<Record<string, string>> = c.req.param()
      if (typeof permission === 'function') {
        demandPermission(c, keys, await permission(c))
      } else {
        const catalogue = permission === 'catalogue' ? parameters['catalogueId'] : undefined
        if (permission !== 'later') demandPermission(c, keys, catalogue)
        for (const [name, value] of Object.entries(parameters)) demandId(name, value)
      }
      return busy.run(id, next)
    })
  }
}

/** Throws `unauthorized` or `forbidden`; `catalogue` is the one that the resource belongs to, if any. */
export function demandPermission(c: AppContext, keys: ApiKeys, catalogue?: string): void {
  const { id, permissions } = c.get('key') ?? keys.require(c)
  const key = { id, permissions: permissions.map(twinOfPermission) }
  if (may(key, { method: c.req.method, path: c.req.path, catalogue })) return
  throw new Failure('forbidden', 'the key has no permission for this')
}

/** An id of the path; throws `invalid-parameter`. */
export function demandId(name: string, id: string): string {
  if (isId(id)) return id
  const detail = '1..255 characters of A-Z, a-z, 0-9, "_", "~" and "-"'
  throw new Failure('invalid-parameter', `${name} is not an id`, {
    errors: [{ parameter: name, detail }],
  })
}

/** The id of a path parameter and the format that its suffix names; throws `invalid-parameter`. */
export function suffixedId(
  c: AppContext,
  name: string,
): { readonly id: string; readonly suffix: Format | undefined } {
  const { id, format } = splitSuffix(c.req.param(name) ?? '')
  return { id: demandId(name, id), suffix: format }
}

/** An id at the origin in the place of an id; throws `invalid-parameter`. */
export function demandOriginalId(name: string, text: string): string {
  if (repositoryParameters.origin.shape.originalId.safeParse(text).success) return text
  const detail = '1..2000 characters, no control characters'
  throw new Failure('invalid-parameter', `${name} is not an original id`, {
    errors: [{ parameter: name, detail }],
  })
}

/** The dataset that a request is about; guard and handler ask the same, the second answer is the first one again. */
type Locate = {
  /** The dataset of the path parameter `datasetId`; fails with `unknown-dataset` or `invalid-parameter`. */
  dataset(c: AppContext): Promise<LocatedDataset>
  /** The distribution of the path parameter `distributionId`; fails with `unknown-distribution` or `invalid-parameter`. */
  distribution(c: AppContext): Promise<{ readonly id: string; readonly dataset: LocatedDataset }>
}

export function locate(
  deps: Pick<WriteContext, 'store' | 'names'>,
  distributions: Pick<Distributions, 'datasetsOf'>,
): Locate {
  const parameter = (c: AppContext, name: string) => demandId(name, c.req.param(name) ?? '')
  return {
    dataset: once((c) => findById(deps, parameter(c, 'datasetId'), c.get('signal'))),
    distribution: once(async (c) => {
      const id = parameter(c, 'distributionId')
      const [first] = await distributions.datasetsOf(id, c.get('signal'))
      if (first === undefined) throw unknownDistribution(id)
      return { id, dataset: await findById(deps, first, c.get('signal')) }
    }),
  }
}

function once<T>(ask: (c: AppContext) => Promise<T>): (c: AppContext) => Promise<T> {
  const answers = new WeakMap<AppContext, Promise<T>>()
  return (c) => {
    const answer = answers.get(c) ?? ask(c)
    answers.set(c, answer)
    return answer
  }
}

/** `If-Match` and `If-None-Match` of a request. */
export const expectedState =
  (c: AppContext): Precondition =>
  (hash) =>
    precondition(c.req.raw.headers, hash)

/** How a write is answered; `whole` is the resource that must be searchable, where that is not the written one. */
export const writeAnswer = ({ indexing, limits }: RouteOptions, whole?: string): WriteAnswer => ({
  indexing,
  waitMs: limits.waitMs,
  ...(whole !== undefined && { whole }),
})

type WriteRequest = {
  readonly body: ResourceBody
  readonly precondition: Precondition
}

/** Receives the body of a write, does it and answers it. */
export async function respondToWrite(
  c: AppContext,
  context: RouteOptions,
  write: (request: WriteRequest, signal: AbortSignal) => Promise<WriteOutcome>,
  whole?: string,
): Promise<Response> {
  const body = await receivedBody(c, context.limits)
  const outcome = await write({ body, precondition: expectedState(c) }, c.get('signal'))
  return answerWrite(c, outcome, writeAnswer(context, whole))
}
