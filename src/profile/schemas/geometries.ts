/** The geometries of GeoJSON (RFC 7946, 3.1) as a schema. */

import { list, type JsonSchema } from './json-schema.ts'

const position: JsonSchema = {
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
  description: 'Longitude and latitude in degrees (WGS 84)',
}
const line = list(position)
const rings = list(line)

const geometry = (type: string, coordinates: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { type: { const: type }, coordinates },
  required: ['type', 'coordinates'],
})

const simple: readonly JsonSchema[] = [
  geometry('Point', position),
  geometry('MultiPoint', line),
  geometry('LineString', line),
  geometry('MultiLineString', rings),
  geometry('Polygon', rings),
  geometry('MultiPolygon', list(rings)),
]

/** A geometry; `self` refers to this very schema, for collections. */
export const geometrySchema = (self: JsonSchema): JsonSchema => ({
  description: 'A GeoJSON geometry',
  anyOf: [
    ...simple,
    {
      type: 'object',
      properties: { type: { const: 'GeometryCollection' }, geometries: list(self) },
      required: ['type', 'geometries'],
    },
  ],
})
