/** What the mappings of several platforms say of a dataset in the same words. */
import { dcat, dct } from '../../../../rdf/namespaces.ts'
import { namedNode } from '../../../../rdf/terms.ts'
import { themesOf } from '../../../../vocabularies/themes.ts'
import { place, period } from '../../mapping/coverage.ts'
import type { Subject } from '../../mapping/subject.ts'
import { listOf, saidText } from '../../../../vocabularies/loose-values.ts'

/** `dcat:theme` for labels that mean a theme of the authority, and for IRIs; the others become keywords. */
export function themesOrKeywords(subject: Subject, labels: unknown): void {
  for (const label of listOf(labels)) {
    const themes = themesOf(label, subject.record.options.authorities)
    for (const theme of themes) subject.add(dcat('theme'), namedNode(theme))
    if (themes.length > 0) continue
    const iri = /^https?:\/\//.test(saidText(label) ?? '') ? saidText(label) : undefined
    if (subject.iri(dcat('theme'), iri)) subject.record.note('unknown-theme', iri ?? '')
    else subject.text(dcat('keyword'), label)
  }
}

/** A place told as an IRI, as GeoJSON or by its name. */
export function placeFrom(subject: Subject, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return place(subject, { geometry: value })
  const text = saidText(value)
  if (text === undefined) return false
  if (/^https?:\/\/\S+$/.test(text)) return place(subject, { iri: text })
  if (text.startsWith('{')) return place(subject, { geometry: text })
  const numbers = text.split(',').map((part) => part.trim())
  const isBox = numbers.length === 4 && numbers.every((part) => /^-?\d+(?:\.\d+)?$/.test(part))
  return isBox ? place(subject, { bbox: numbers }) : place(subject, { label: text })
}

/** A period told as `start/end` (ISO 8601-1, 5.5), or as a single date. */
export function periodFrom(subject: Subject, value: unknown): boolean {
  const text = saidText(value)
  if (text === undefined) return false
  const [start = '', end = ''] = text.split(/\s*(?:\/|\s(?:to|bis|à|until|[-–—])\s)\s*/)
  const ends = [start, end].map((part) => (part === '..' ? '' : part))
  return period(subject, { start: ends[0], end: ends[1] })
}

type Service = { readonly title: string; readonly endpoint: string }

/** The service through which a distribution can be queried (`dcat:accessService`). */
export function accessService(distribution: Subject | undefined, service: Service): void {
  const part = distribution?.part(dcat('accessService'), dcat('DataService'))
  part?.text(dct('title'), service.title, { language: '' })
  part?.link(dcat('endpointURL'), service.endpoint)
}
