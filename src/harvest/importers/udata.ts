/** The uData importer: the plain list of datasets, page by page. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { type Fields, fieldsOf, plainText } from '../../vocabularies/loose-values.ts'
import { mappingKeys } from '../mapping/record-options.ts'
import { licenceList } from './licence-list.ts'
import { countOf, type Entry, envelopeFailure, foundEntry, lasting } from './entry.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext, ImporterKind } from './importer.ts'
import type { Source } from './source.ts'
import { mappedDataset, type UdataSite } from './udata-mapping.ts'

type Config = UdataConfig & ImportConfig

/** `ownHost`: the host under which this portal is known, so that nothing is harvested in a circle. */
export const udataImporter = (ownHost?: string): ImporterKind<UdataConfig> => ({
  names: ['importing-udata'],
  version: 2,
  config: udataConfig,
  import: (config, source, context) => importUdata({ config, source, context, ownHost }),
})

type Importing = {
  readonly config: Config
  readonly source: Source
  readonly context: ImportContext
  readonly ownHost: string | undefined
}

async function* importUdata(importing: Importing): AsyncGenerator<Found, void> {
  const { config, source, context } = importing
  const root = siteRoot(config.address)
  const licences = licenceList(namesLicence, async () => {
    const url = `${root}/api/1/datasets/licenses/`
    const { value, status } = await source.json(url, { accepts: [400, 404, 405], paged: false })
    return status < 400 ? value : []
  })
  const authorities = await shippedAuthorities()
  const site: UdataSite = { root, config, authorities, licence: licences.find }
  const mask: Readonly<Record<string, string>> =
    context.output === 'source' ? {} : { 'X-Fields': fieldMask }
  let total: number | undefined
  for (let page = 1; ; page += 1) {
    // A page behind the end is not there; whether that is the end is for the total to say.
    const accepts = page > 1 && total !== undefined ? [404] : []
    const answer = await source.json(pageUrl(root, config, page), { headers: mask, accepts })
    if (answer.status === 404) return
    const { data, total: told, next_page: next } = fieldsOf(answer.value)
    if (!Array.isArray(data)) throw envelopeFailure(answer.value, answer.url)
    const list: readonly unknown[] = data
    total = countOf(told)
    if (total !== undefined) yield { kind: 'total', total }
    await licences.learn(list)
    const read = (fields: Fields) => entryOf(fields, site, importing.ownHost)
    for (const value of list) yield foundEntry(value, { output: context.output, read })
    yield { kind: 'page' }
    if (next === null || next === undefined || list.length === 0) break
  }
  if (total === undefined)
    yield { kind: 'end', as: 'incomplete', problem: new Failure('total-mismatch', uncounted) }
}

const namesLicence = (dataset: unknown) => plainText(fieldsOf(dataset)['license']) !== undefined

const uncounted = 'The portal does not tell how many datasets it has.'

/** The site without what follows its root. */
function siteRoot(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname.replace(/\/api(?:\/.*)?$/, '').replace(/\/+$/, '')
}

/** Pages are counted: the links of portals behind a proxy lead to its inner name. */
function pageUrl(root: string, { pageSize, filters = {} }: Config, page: number): string {
  const own = Object.entries(filters).map(
    ([key, value]) => `&${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  )
  return `${root}/api/1/datasets/?page=${page}&page_size=${pageSize}&sort=created${own.join('')}`
}

/** Datasets with thousands of resources are megabytes: only what the mapping reads. */
const fieldMask =
  'data{id,slug,title,acronym,description,tags,badges,created_at,last_modified,frequency,license,' +
  'organization{name,page,uri,class},owner{first_name,last_name,page},' +
  'contact_points{name,email,contact_form,role},spatial{geom,zones,granularity},temporal_coverage{start,end},' +
  'page,access_type,archived,deleted,private,harvest{domain,uri,dct_identifier,remote_id},' +
  'resources{id,title,description,created_at,last_modified,filesize,mime,format,checksum{type,value},url,latest,' +
  'schema{name,version,url},type}},page,page_size,total,next_page'

const volatile = new Set(['metrics', 'quality', 'internal'])

function entryOf(fields: Fields, site: UdataSite, ownHost: string | undefined): Entry {
  const id = plainText(fields['id']) ?? ''
  const slug = plainText(fields['slug'])
  return {
    sourceId: id,
    aliases: slug === undefined ? [] : [slug],
    sourceUrl: `${site.root}/api/1/datasets/${encodeURIComponent(id)}/`,
    skipped: reasonToSkip(fields, site.config.skipHarvested ? ownHost : undefined),
    lasting: lasting(fields, volatile),
    map: () => mappedDataset(fields, site),
  }
}

function reasonToSkip(fields: Fields, ownHost: string | undefined): string | undefined {
  if (fields['private'] === true) return 'private'
  for (const state of ['archived', 'deleted'])
    if (typeof fields[state] === 'string' || fields[state] === true) return state
  const domain = plainText(fieldsOf(fields['harvest'])['domain'])
  const isOwn = ownHost !== undefined && domain?.toLowerCase() === ownHost.toLowerCase()
  return isOwn ? 'harvested from here' : undefined
}

// What the config of a uData importer may say beside the common keys.

const udataConfig = z.object({
  ...mappingKeys,
  /** Records per page. */
  pageSize: z.int().min(1).max(1000).default(100),
  /** Leave out what the portal harvested from this host. */
  skipHarvested: z.boolean().default(true),
})
type UdataConfig = z.infer<typeof udataConfig>
