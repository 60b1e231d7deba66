/** CKAN importer: reads the packages of a portal from its search, page by page, or one by one where the search fails. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { shownUrl } from '../../secrets.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { mappingKeys } from '../mapping/record.ts'
import { packageReader } from './ckan-mapping.ts'
import { dkanAddresses, importDkan } from './dkan.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import {
  callAction,
  type ActionAnswer,
  packageAddress,
  packageNames,
  portalRoot,
} from './ckan-api.ts'
import { countOf, licenceList, type ListPlace, listPages, portalOf } from './portal.ts'
import type { ImportSource } from './source.ts'

/** Config of a CKAN importer beside the common keys. */
const ckanConfig = z.object({
  ...mappingKeys,
  /** `dkan`: the portal runs DKAN, whatever the name of the segment is. */
  dialect: z.enum(['ckan', 'dkan']).default('ckan'),
  /** Field used as source id. */
  identifier: z.enum(['id', 'name']).default('id'),
  /** Records per page; portals may return fewer. */
  pageSize: z.int().min(1).max(10_000).default(100),
  /** Types of packages that are datasets; harvest sources and showcases are packages too. */
  types: z.array(z.string().toLowerCase()).default(['dataset']),
})
type CkanConfig = z.infer<typeof ckanConfig>
type Run = ImportRun<CkanConfig>

/** Importer by `package_search`, which counts packages; by name where the search has a depth limit. */
export const ckanImporter: ImporterKind<CkanConfig> = {
  names: ['importing-ckan', 'importing-ckansingle', 'importing-ckanprop'],
  version: 2,
  config: ckanConfig,
  // A deleted package answers 403, as a private one does.
  addressesOf: ({ address, dialect }, id) =>
    dialect === 'dkan'
      ? dkanAddresses({ address }, id)
      : [{ url: packageAddress(address, id), goneStatuses: [403] }],
  import: (run) =>
    run.config.dialect === 'dkan'
      ? importDkan({ ...run, config: { ...run.config, version: 'auto' } })
      : importCkan(run),
}

/** Sort orders to try; some portals refuse the id. Without an order, pages may repeat and miss packages. */
const orders = ['id asc', 'name asc', undefined] as const

const unsortedPages = new Failure(
  'source-error',
  'The portal refuses to sort, so that its pages may hide records.',
)

/** Imports packages. Advances by the number of received packages, because portals reduce large pages silently. */
async function* importCkan(run: Run): AsyncGenerator<ImportEvent, void> {
  const { config, source } = run
  const root = portalRoot(config.address)
  const licences = licenceList(isLicenceUnclear, async () => {
    const accepts = [400, 403, 404, 405, 409]
    const answer = await callAction(
      source,
      { root, name: 'license_list' },
      { accepts, paged: false },
    )
    return answer.ok ? answer.result : []
  })
  const portal = await portalOf<CkanConfig>(run, root)
  const read = packageReader({ ...portal, licence: licences.find })
  const readNames = new Set<unknown>()
  let order = 0
  const ask = async ({ offset, extra }: ListPlace) => {
    const rows = config.pageSize + extra
    let answer = await search(run, root, { start: offset, rows, sort: orders[order] })
    for (const lastOrder = offset === 0 ? orders.length - 1 : 0; !answer.ok && order < lastOrder;)
      answer = await search(run, root, { start: offset, rows, sort: orders[++order] })
    const page = packagesIn(root, answer)
    await licences.register(page.entries)
    for (const record of page.entries) readNames.add(fieldsOf(record)['name'])
    return page
  }
  try {
    yield* listPages(portal, { read, ask, overlaps: true })
  } catch (error) {
    // Proxies may refuse large offsets; listed packages can be requested by name.
    if (readNames.size === 0 || !isRefusal(error)) throw error
    const listedNames = await packageNames(source, root).catch((listError: unknown) => {
      throw isRefusal(listError) ? error : listError
    })
    if (!listedNames) throw error
    yield* listPages(portal, {
      read,
      ask: fetchByName(source, root, { listedNames, readNames }),
      isFixed: true,
    })
    return
  }
  if (orders[order] === undefined)
    yield { kind: 'end', outcome: 'incomplete', problem: unsortedPages }
}

/** Packages of a search result and their number. Throws `source-error` and `source-malformed`. */
function packagesIn(root: string, answer: ActionAnswer) {
  const place = `The search of ${shownUrl(root)}`
  if (!answer.ok) {
    const cause = answer.message
    throw new Failure('source-error', `${place} answered ${answer.status}.`, { cause })
  }
  const { count, results } = fieldsOf(answer.result)
  const total = countOf(count)
  if (total === undefined || !Array.isArray(results))
    throw new Failure('source-malformed', `${place} answered without count or results.`)
  const entries: readonly unknown[] = results
  return { entries, pointer: '/result/results', total }
}

/** Whether a package names a licence by its id alone. */
function isLicenceUnclear(value: unknown): boolean {
  const { license_id: id, license_url: url, license_title: title } = fieldsOf(value)
  return (
    plainText(id) !== undefined && [url, title].every((value) => plainText(value) === undefined)
  )
}

const isRefusal = (error: unknown) =>
  error instanceof Failure &&
  (error.kind === 'source-error' || error.kind === 'source-error-envelope')

/** Requests a page. Refusals of the first page are returned, because another order may work. */
function search(
  { source, config, lastRun }: Run,
  root: string,
  {
    start,
    rows,
    sort,
  }: { readonly start: number; readonly rows: number; readonly sort: string | undefined },
): Promise<ActionAnswer> {
  const filterQuery = config.filters?.['fq']
  const since = config.incremental && lastRun && `metadata_modified:[${lastRun.toISOString()} TO *]`
  const query = {
    ...config.filters,
    rows: String(rows),
    start: String(start),
    sort,
    include_private: 'false',
    fq: since && filterQuery !== undefined ? `(${filterQuery}) AND ${since}` : since || filterQuery,
  }
  const accepts = start === 0 ? [400, 409] : []
  return callAction(source, { root, name: 'package_search', query }, { accepts })
}

type PackageNames = {
  readonly listedNames: ReadonlySet<string>
  /** Names of packages that were already read. */
  readonly readNames: ReadonlySet<unknown>
}

/** Packages that are requested one by one before they count as a page. */
const namesPerPage = 100

/** Reads packages one by one, by the names that the portal lists. Missing ones are deleted, forbidden ones private. */
function fetchByName(source: ImportSource, root: string, { listedNames, readNames }: PackageNames) {
  const unreadNames = [...listedNames.difference(readNames)]
  let deletedCount = 0
  return async ({ page }: { readonly page: number }) => {
    const pageNames = unreadNames.slice((page - 1) * namesPerPage, page * namesPerPage)
    const entries: unknown[] = []
    for (const name of pageNames) {
      const call = { root, name: 'package_show', query: { id: name } }
      const answer = await callAction(source, call, { accepts: [403, 404], paged: false })
      if (answer.ok) entries.push(...listOf(answer.result))
      else if (answer.status === 403) entries.push({ id: name, name, private: true })
      else deletedCount += 1
    }
    const isLast = page * namesPerPage >= unreadNames.length
    return { entries, pointer: '/result', total: listedNames.size - deletedCount, isLast }
  }
}
