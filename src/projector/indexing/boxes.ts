/** Bounding boxes of GeoJSON geometries for the index. */

import type { Box } from '../../search-index/search-index.ts'
import { isObject, listOf, type Json } from '../mappings/json.ts'
import { boundsOf, positionsOf } from '../../vocabularies/geometry.ts'

const most = 4

/** A box over the date line was written as two polygons that meet there. */
function boxesOf(geometry: Json): readonly Box[] {
  const parts = isObject(geometry) && geometry['type'] === 'MultiPolygon' && geometry['coordinates']
  if (Array.isArray(parts) && parts.length === 2) {
    const boxes = parts.map((part: Json) => boundsOf(positionsOf(part)))
    const meets = boxes.some(([, , east]) => east === 180) && boxes.some(([west]) => west === -180)
    if (meets) return boxes
  }
  return [boundsOf(positionsOf(geometry))]
}

function around(boxes: readonly Box[]): Box {
  return boundsOf(
    boxes.flatMap(([west, south, east, north]) => [
      [west, south],
      [east, north],
    ]),
  )
}

/** At most four boxes; what is more is joined into the fourth. */
export function boxesIn(json: Json): readonly Box[] {
  const boxes = listOf(json).flatMap(boxesOf)
  return boxes.length <= most ? boxes : [...boxes.slice(0, most - 1), around(boxes.slice(most - 1))]
}
