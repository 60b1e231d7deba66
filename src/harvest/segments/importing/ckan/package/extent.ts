/** Where and when the data of a package are. */
import { metres, period, place, resolution } from '../../../mapping/coverage.ts'
import { boxFrom, outlineFrom } from '../../../mapping/coverage.ts'
import type { Subject } from '../../../mapping/subject.ts'
import {
  fieldsOf,
  saidText,
  structured,
  structuredList,
} from '../../../../../vocabularies/loose-values.ts'
import { isUsableIri } from '../../../mapping/values/urls.ts'
import { firstOf, type Reader } from './fields.ts'

export function extent(dataset: Subject, { get }: Reader): void {
  own(dataset, get)
  for (const one of structuredList(get('spatial_coverage'))) {
    const { uri, text, geom, bbox, centroid } = fieldsOf(one)
    const geometry = [geom, bbox, centroid].find((value) => outlineFrom(value))
    place(dataset, { geometry, iri: uri ?? saidText(one), label: text })
  }
  period(dataset, { start: get('temporal_start'), end: get('temporal_end') })
  for (const one of structuredList(get('temporal_coverage'))) {
    const { start, end } = fieldsOf(one)
    period(dataset, { start, end })
  }
  resolution(dataset, firstOf(get('temporal_resolution')))
  metres(dataset, firstOf(get('spatial_resolution_in_meters')))
}

/** `spatial` is GeoJSON, a box of four numbers, an IRI, or the name of a place. */
function own(dataset: Subject, get: Reader['get']): void {
  const spatial = get('spatial')
  const isShape = outlineFrom(spatial) !== undefined
  // An object without a geometry is told as lost.
  const geometry = isShape || typeof structured(spatial) === 'object' ? spatial : undefined
  const sides = ['west_long', 'south_lat', 'east_long', 'north_lat'].map((side) =>
    get(`bbox_${side}`),
  )
  const bbox = [structured(spatial), sides].find((four) => boxFrom(four))
  const text =
    geometry === undefined && !boxFrom(structured(spatial)) ? saidText(spatial) : undefined
  const isIri = text !== undefined && /^https?:/i.test(text) && isUsableIri(text)
  const isName = text !== undefined && !isIri && typeof structured(text) === 'string'
  const label = get('spatial_text') ?? (isName ? text : undefined)
  place(dataset, { geometry, bbox, iri: get('spatial_uri') ?? (isIri ? text : undefined), label })
}
