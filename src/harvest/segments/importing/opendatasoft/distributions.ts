/** The ways to the data of an OpenDataSoft dataset: exports in every format, the query API, and files. */
import { dcat } from '../../../../rdf/namespaces.ts'
import { distribution, type DistributionFields } from '../../mapping/distribution.ts'
import type { Subject } from '../../mapping/subject.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  type Fields,
} from '../../../../vocabularies/loose-values.ts'
import { accessService } from '../documents/subjects.ts'
import type { Placed } from './domain.ts'

const usual = ['csv', 'json', 'xlsx']
const ofGeography = ['geojson', 'shp', 'kml']

const mediaTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  geojson: 'application/geo+json',
  kml: 'application/vnd.google-earth.kml+xml',
  shp: 'application/zip',
  rdf: 'application/rdf+xml',
  ttl: 'text/turtle',
  jsonld: 'application/ld+json',
}

export function mapDistributions(dataset: Subject, fields: Fields, placed: Placed): void {
  const { api, id, sourceId } = placed
  const own = fieldsOf(fieldsOf(fields['metas'])['default'])
  const licences = [{ url: own['license_url'], title: own['license'] }]
  const place = `${api}/catalog/datasets/${encodeURIComponent(id)}`
  if (fields['has_records'] !== false) {
    for (const format of formatsOf(fields, placed)) {
      const url = `${place}/exports/${encodeURIComponent(format)}`
      const identifier = `${sourceId}/${format}`
      const mediaType = mediaTypes[format]
      distribution(dataset, {
        identifier,
        accessUrl: url,
        downloadUrl: url,
        format,
        mediaType,
        licences,
      })
    }
    const records = distribution(dataset, {
      identifier: `${sourceId}/records`,
      accessUrl: `${place}/records`,
      format: 'JSON',
      mediaType: 'application/json',
      licences,
    })
    accessService(records, { title: 'OpenDataSoft Explore API', endpoint: api })
  }
  for (const list of ['attachments', 'alternative_exports'])
    for (const one of listOf(fields[list]).map(fieldsOf)) {
      const about = { root: `${place}/${list}`, identifier: `${sourceId}/${list}`, licences }
      file(dataset, one, about)
    }
}

type Place = Required<Pick<DistributionFields, 'licences'>> & {
  readonly root: string
  readonly identifier: string
}

/** Inside addresses (`odsfile://`) are nobody's business; the public one is made of the ids. */
function file(dataset: Subject, one: Fields, { root, identifier, licences }: Place): void {
  const name = plainText(one['id'])
  if (name === undefined) {
    dataset.lost(dcat('distribution'), `${saidText(one['title']) ?? 'one'} has no id`)
    return
  }
  const url = `${root}/${encodeURIComponent(name)}`
  distribution(dataset, {
    identifier: `${identifier}/${name}`,
    title: one['title'],
    accessUrl: url,
    downloadUrl: url,
    mediaType: one['mimetype'],
    licences,
  })
}

function formatsOf({ features }: Fields, { config }: Placed): readonly string[] {
  if (config.formats !== undefined)
    return [config.formats].flat().flatMap((text) => text.split(',').map((one) => one.trim()))
  return listOf(features).includes('geo') ? [...usual, ...ofGeography] : usual
}
