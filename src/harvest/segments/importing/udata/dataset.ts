/** A dataset of uData as a dataset of DCAT-AP. */
import { dcat, dcatap, dct, skos } from '../../../../rdf/namespaces.ts'
import { namedNode } from '../../../../rdf/terms.ts'
import type { ImportConfig } from '../../import-config.ts'
import { type Authorities, conceptIri } from '../../../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../../../vocabularies/licences.ts'
import { concepts } from '../../mapping/concepts.ts'
import type { MappingConfig } from '../../mapping/config.ts'
import { period, place } from '../../mapping/coverage.ts'
import { MappedRecord } from '../../mapping/record.ts'
import type { Subject } from '../../mapping/subject.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  type Fields,
} from '../../../../vocabularies/loose-values.ts'
import { adms } from '../../mapping/values/names.ts'
import { people } from './people.ts'
import { resources } from './resources.ts'

/** What is the same for all datasets of a run. */
export type Site = {
  readonly root: string
  readonly config: ImportConfig & MappingConfig & { readonly skipHarvested: boolean }
  readonly authorities: Authorities
  readonly licence: (id: string) => LicenceNames | undefined
}

/** The regulation on high-value datasets (EU 2023/138). */
const highValue = namedNode('http://data.europa.eu/eli/reg_impl/2023/138/oj')

/** Deterministic; whatever the fields hold. */
export function mappedDataset(fields: Fields, site: Site): MappedRecord {
  const { root, config, authorities, licence } = site
  const { language, timezone, dateOrder } = config
  const id = plainText(fields['id']) ?? ''
  const record = new MappedRecord({
    authorities,
    fallbackIri: `${root}/datasets/${encodeURIComponent(id)}/`,
    base: `${root}/`,
    language,
    timezone,
    dateOrder,
  })
  const { dataset } = record
  naming(dataset, fields, id)
  people(dataset, fields)
  dataset.date(dct('issued'), fields['created_at'])
  dataset.date(dct('modified'), fields['last_modified'])
  concepts(dataset, dct('accrualPeriodicity'), 'frequency', fields['frequency'])
  access(dataset, fields['access_type'])
  if (!dataset.link(dcat('landingPage'), fields['page']))
    dataset.link(dcat('landingPage'), `${root}/datasets/${encodeURIComponent(id)}/`)
  spatial(dataset, fieldsOf(fields['spatial']))
  const { start, end } = fieldsOf(fields['temporal_coverage'])
  period(dataset, { start, end })
  const named = plainText(fields['license'])
  const known = named === undefined ? undefined : licence(named)
  resources(dataset, listOf(fields['resources']), { id: named, ...known })
  return record
}

function naming(dataset: Subject, fields: Fields, id: string): void {
  dataset.text(dct('title'), fields['title'])
  dataset.text(skos('altLabel'), fields['acronym'])
  dataset.text(dct('description'), fields['description'])
  dataset.literal(dct('identifier'), id)
  dataset.text(dcat('keyword'), listOf(fields['tags']))
  const { dct_identifier: identifier, uri, remote_id: remote } = fieldsOf(fields['harvest'])
  const others = [identifier, uri, remote].map(saidText).filter((text) => text !== undefined)
  for (const text of new Set(others))
    dataset.part(adms('identifier'), adms('Identifier')).literal(skos('notation'), text)
  const badges = listOf(fields['badges']).map((badge) => fieldsOf(badge)['kind'])
  if (badges.includes('hvd')) dataset.add(dcatap('applicableLegislation'), highValue)
}

const accessTypes: Readonly<Record<string, string>> = {
  open: 'PUBLIC',
  open_with_account: 'PUBLIC',
  restricted: 'NON_PUBLIC',
}

function access(dataset: Subject, value: unknown): void {
  const type = plainText(value) ?? ''
  const code = Object.hasOwn(accessTypes, type) ? accessTypes[type] : undefined
  if (code === undefined) dataset.lost(dct('accessRights'), value)
  const { authorities } = dataset.record.options
  dataset.iri(dct('accessRights'), conceptIri('accessRight', code, authorities))
}

/** A shape, and the zones that it is made of: names when the portal gives them, else their ids. */
function spatial(dataset: Subject, { geom, zones }: Fields): void {
  place(dataset, { geometry: geom })
  for (const zone of listOf(zones)) {
    const { name, uri, id } = fieldsOf(zone)
    place(dataset, { iri: uri, label: name ?? id ?? plainText(zone) })
  }
}
