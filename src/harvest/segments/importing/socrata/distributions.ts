/** The ways to the data of a Socrata asset: exports of a table, a file, or links to other places. */
import { distribution } from '../../mapping/distribution.ts'
import type { Subject } from '../../mapping/subject.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  type Fields,
} from '../../../../vocabularies/loose-values.ts'
import { accessService } from '../documents/subjects.ts'
import type { Sharing } from './site.ts'

export function mapDistributions(dataset: Subject, fields: Fields, sharing: Sharing): void {
  const asset = fieldsOf(fields['resource'])
  switch (asset['type']) {
    case 'dataset':
      table(dataset, asset, sharing)
      return
    case 'file':
      file(dataset, asset, sharing)
      return
    case 'href':
      links(dataset, fieldsOf(fieldsOf(fields['view'])['metadata']), sharing)
      return
    default:
  }
}

const shapes = /^(?:multi)?(?:point|polygon|line)$|^location$/i

function table(dataset: Subject, asset: Fields, { origin, sourceId, licences }: Sharing): void {
  const id = encodeURIComponent(sourceId)
  const rows = `${origin}/api/views/${id}/rows.csv?accessType=DOWNLOAD`
  const csv = { identifier: `${sourceId}/csv`, format: 'CSV', mediaType: 'text/csv' }
  distribution(dataset, { ...csv, accessUrl: rows, downloadUrl: rows, licences })
  const endpoint = `${origin}/resource/${id}.json`
  const json = { identifier: `${sourceId}/json`, format: 'JSON', mediaType: 'application/json' }
  const queried = distribution(dataset, { ...json, accessUrl: endpoint, licences })
  accessService(queried, { title: 'Socrata Open Data API', endpoint })
  if (!listOf(asset['columns_datatype']).some((type) => shapes.test(plainText(type) ?? ''))) return
  const shown = `${origin}/resource/${id}.geojson`
  const geo = { identifier: `${sourceId}/geojson`, format: 'GeoJSON' }
  const mediaType = 'application/geo+json'
  distribution(dataset, { ...geo, mediaType, accessUrl: shown, downloadUrl: shown, licences })
}

function file(dataset: Subject, asset: Fields, { origin, sourceId, licences }: Sharing): void {
  const mediaType = saidText(asset['blob_mime_type'])?.split(';', 1)[0]?.trim()
  const type = encodeURIComponent(mediaType ?? 'application/octet-stream')
  const url = `${origin}/download/${encodeURIComponent(sourceId)}/${type}`
  const identifier = `${sourceId}/file`
  distribution(dataset, { identifier, accessUrl: url, downloadUrl: url, mediaType, licences })
}

function links(dataset: Subject, metadata: Fields, { origin, sourceId, licences }: Sharing): void {
  const more = listOf(metadata['additionalAccessPoints']).map(fieldsOf)
  const points = [
    { urls: fieldsOf(metadata['accessPoints']), title: undefined, description: undefined },
    ...more.map((one) => ({ ...one, urls: fieldsOf(one['urls']) })),
  ]
  for (const { urls, ...about } of points)
    for (const [mediaType, url] of Object.entries(urls)) {
      const { title, description } = fieldsOf(about)
      const accessUrl = withProtocol(url)
      const isMended = accessUrl?.startsWith('https:') === true && accessUrl !== saidText(url)
      if (isMended) dataset.record.note('repaired-iri', `dcat:accessURL: ${accessUrl}`)
      const names = { title, description: description ?? undefined, html: true }
      const known = /\//.test(mediaType) ? { mediaType } : {}
      distribution(dataset, { ...names, accessUrl, ...known, licences })
    }
  for (const one of listOf(metadata['attachments']).map(fieldsOf)) {
    const accessUrl = attachmentAddress(one, `${origin}/api`, encodeURIComponent(sourceId))
    const title = saidText(one['name']) ?? saidText(one['filename'])
    distribution(dataset, { title, accessUrl, downloadUrl: accessUrl, licences })
  }
}

/** Some are without a protocol (`data.example/x`), some relative to the site; the latter are left as they are. */
function withProtocol(url: unknown): string | undefined {
  const text = saidText(url)
  if (text === undefined || /^[a-z][a-z0-9+.-]*:|^\.{0,2}\/(?!\/)|^\?/i.test(text)) return text
  if (text.startsWith('//')) return `https:${text}`
  return /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]|$)/.test(text) ? `https://${text}` : `/${text}`
}

function attachmentAddress(one: Fields, api: string, id: string): string | undefined {
  const [asset, blob] = [plainText(one['assetId']), plainText(one['blobId'])]
  const name = encodeURIComponent(plainText(one['filename']) ?? '')
  if (asset !== undefined)
    return `${api}/views/${id}/files/${encodeURIComponent(asset)}?filename=${name}`
  return blob === undefined ? undefined : `${api}/assets/${encodeURIComponent(blob)}?download=true`
}
