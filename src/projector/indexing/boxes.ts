/** Bounding boxes of GeoJSON geometries for the index. */

import type { Box } from '../../indices/search-index.ts'
import type { Json } from '../mappings/json.ts'
import { boundsOf, positionsOf, type Geometry } from '../mappings/geometry/geometry.ts'

const most = 4

/** The mapping wrote the JSON; this only says so. */
const asGeometries = (json: Json): readonly Geometry[] =>
  (Array.isArray(json) ? json : [json]) as unknown as readonly Geometry[]

/** A box over the date line was written as two polygons that meet there. */
function boxesOf(geometry: Geometry): readonly Box[] {
  if (geometry.type === 'MultiPolygon' && geometry.coordinates.length === 2) {
    const parts = geometry.coordinates.map((coordinates) =>
      boundsOf(positionsOf({ type: 'Polygon', coordinates })),
    )
    const meets = parts.some(([, , east]) => east === 180) && parts.some(([west]) => west === -180)
    if (meets) return parts
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
  const boxes = asGeometries(json).flatMap(boxesOf)
  return boxes.length <= most ? boxes : [...boxes.slice(0, most - 1), around(boxes.slice(most - 1))]
}
