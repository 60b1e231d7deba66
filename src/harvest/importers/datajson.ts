/** The importer of a `data.json`: Project Open Data (DCAT-US 1.1) and DCAT-US 3. */
import { z } from 'zod'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext, ImporterKind } from './importer.ts'
import { shippedAuthorities } from '../../vocabularies/authorities.ts'
import { mappingKeys } from '../mapping/record-options.ts'
import { type Source, validatorOf } from './source.ts'
import { datasetsOf, type PodSource } from './datajson-datasets.ts'
import { openUnlessSame } from './json-document.ts'

const dataJsonConfig = z.object(mappingKeys)
type DataJsonConfig = z.infer<typeof dataJsonConfig>

export const dataJsonImporter: ImporterKind<DataJsonConfig> = {
  names: ['importing-datajson', 'importing-pod', 'importing-dcatus'],
  version: 1,
  config: dataJsonConfig,
  import: importDataJson,
}

/** Statuses that say that there is no such document. */
const absent = [400, 404, 405, 406, 410]

async function* importDataJson(
  config: DataJsonConfig & ImportConfig,
  source: Source,
  context: ImportContext,
  signal: AbortSignal,
): AsyncGenerator<Found, void> {
  const { address } = config
  const opening = { source, context }
  // An address without a suffix may be a document all the same.
  const tried = isDocument(address) ? [address] : [documentOf(address), address]
  let url = address
  let found: Awaited<ReturnType<typeof openUnlessSame>> = 'absent'
  for (const [at, each] of tried.entries()) {
    url = each
    const isLast = at === tried.length - 1
    found = await openUnlessSame(opening, { url, absent: isLast ? [] : absent }, signal)
    if (found !== 'absent') break
  }
  if (found === 'unchanged') yield { kind: 'end', as: 'not-modified' }
  if (typeof found === 'string') return
  const document = found
  const pods: PodSource = {
    config,
    output: context.output,
    authorities: await shippedAuthorities(),
    base: document.url,
    pageOf: (id) => `${document.url.replace(/#.*$/s, '')}#${encodeURIComponent(id.toWellFormed())}`,
  }
  try {
    context.validate(validatorOf(url, document.headers, document.hash))
    yield* datasetsOf(document, pods, context.sink)
  } finally {
    await document.close()
  }
}

/** Whether the address is a document and not a site: its path ends in a suffix, or it has a query. */
function isDocument(address: string): boolean {
  const { pathname, search } = new URL(address)
  return search !== '' || /\.[A-Za-z][A-Za-z0-9]*$/.test(pathname)
}

function documentOf(site: string): string {
  const { origin, pathname } = new URL(site)
  return `${origin}${pathname.replace(/\/+$/, '')}/data.json`
}
