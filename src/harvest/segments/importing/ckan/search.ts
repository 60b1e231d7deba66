/** Pages of `package_search`, in an order that does not change while they are read. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import type { ImportConfig } from '../../import-config.ts'
import { fieldsOf, plainText } from '../../../../vocabularies/loose-values.ts'
import type { Source } from '../../source.ts'
import { action, type ActionAnswer } from './action-api.ts'
import type { CkanConfig } from './config.ts'

export type Search = {
  readonly root: string
  readonly config: CkanConfig & ImportConfig
  readonly lastRun: Date | undefined
}

type Page =
  | { readonly kind: 'results'; readonly count: number; readonly results: readonly unknown[] }
  | Extract<Found, { kind: 'end' }>

/** By the id; portals that refuse it may know the name. Without any order a page may hide what the next one repeats. */
const orders = ['id asc', 'name asc', undefined] as const

/** Steps by what was received: larger pages than the portal likes are cut in silence. */
export async function* search(source: Source, wish: Search): AsyncGenerator<Page, void> {
  let at = 0
  let largest = 0
  let order = 0
  for (;;) {
    const answer = await ask(source, wish, { start: at, sort: orders[order] })
    if (!answer.ok && at === 0 && order < orders.length - 1) {
      order += 1
      continue
    }
    if (!answer.ok)
      throw new Failure('source-error', `The search answered ${answer.status}.`, {
        cause: answer.message,
      })
    const { count, results } = pageOf(answer)
    // An empty page tells nothing but the count, which the first one told.
    if (results.length > 0 || at === 0) yield { kind: 'results', count, results }
    largest = Math.max(largest, results.length)
    at += results.length
    // A full page may have one behind it that the count does not know of.
    if (results.length === 0 || (at >= count && results.length < largest)) break
  }
  if (orders[order] === undefined) yield { kind: 'end', as: 'incomplete', problem: withoutOrder }
}

const withoutOrder = new Failure(
  'source-error',
  'The portal refuses to sort, so that its pages may hide records.',
)

type Place = { readonly start: number; readonly sort: string | undefined }

function ask(source: Source, wish: Search, { start, sort }: Place): Promise<ActionAnswer> {
  const { root, config } = wish
  const query = {
    ...config.filters,
    rows: String(config.pageSize),
    start: String(start),
    ...(sort !== undefined && { sort }),
    include_private: 'false',
    ...filterQuery(wish),
  }
  const accepts = start === 0 ? [400, 409] : []
  return action(source, { root, name: 'package_search', query }, { accepts })
}

/** The filter of the config and, for an incremental run, what changed since the last one. */
function filterQuery({ config, lastRun }: Search): { readonly fq?: string } {
  const own = config.filters?.['fq']
  if (!config.incremental || !lastRun) return own === undefined ? {} : { fq: own }
  const since = `metadata_modified:[${lastRun.toISOString()} TO *]`
  return { fq: own === undefined ? since : `(${own}) AND ${since}` }
}

function pageOf({ result }: Extract<ActionAnswer, { ok: true }>) {
  const { count, results } = fieldsOf(result)
  const total = Number(plainText(count))
  if (!Number.isSafeInteger(total) || total < 0 || !Array.isArray(results))
    throw new Failure('source-malformed', 'The search answered without count or results.')
  const list: readonly unknown[] = results
  return { count: total, results: list }
}
