/** Rows of JSON Lines, of JSON lists of objects, also in a member of an object, and of GeoJSON; numbers keep their spelling. */

import { type Fields, isJsonObject, memberFields } from '../../text/json.ts'
import { previewColumns, previewRows } from './preview-table.ts'

// JSON.parse source text access (ECMAScript proposal, in V8 since 11.4).
declare global {
  interface JSON {
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/** Rows of a JSON text. */
export type JsonRows = {
  /** The first row has the names of the members. */
  readonly rows: readonly (readonly unknown[])[]
  /** Geometries of GeoJSON. */
  readonly geometries: readonly unknown[]
}

/** Reviver that keeps the spelling of numbers which JavaScript cannot represent: 9007199254740993, 1.10, 1e400. */
const asWritten = (_key: string, value: unknown, ...[context]: { readonly source?: string }[]) =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
    ? JSON.rawJSON(context.source)
    : value

const parsed = (text: string): unknown => JSON.parse(text, asWritten)

/**
 * Reads the rows of a text. A cut text has rows only in JSON Lines, otherwise the result is `cut`. `undefined` for JSON without a
 * list of objects. Throws for invalid JSON.
 */
export function jsonRows(text: string, isCut: boolean): JsonRows | 'cut' | undefined {
  const lines = text.split('\n', previewRows + 1).filter((line) => line.trim() !== '')
  const records = lines.map(lineObject)
  // The last line may be cut.
  const isLines = records.length > 1 && records.slice(0, -1).every(Boolean)
  if (isLines) return rowsOfObjects(records.filter((record) => record !== undefined))
  if (isCut) return 'cut'
  const value = parsed(text)
  const features = featuresOf(value)
  if (features) {
    const properties = features.map((feature) => memberFields(feature['properties']))
    // Coordinates have to be numbers, so the text is parsed a second time without the reviver.
    const plain: unknown = JSON.parse(text)
    return { ...rowsOfObjects(properties), geometries: (featuresOf(plain) ?? []).map(geometryIn) }
  }
  const lists: unknown[] = isJsonObject(value) ? Object.values(value) : [value]
  const isEmptyList = lists.some((list) => Array.isArray(list) && list.length === 0)
  const first = lists.map(objectsIn).find((list) => list.length > 0)
  return first || isEmptyList ? rowsOfObjects(first ?? []) : undefined
}

const geometryTypes = /^(?:multi)?(?:point|linestring|polygon)$|^geometrycollection$/i

/**
 * Features of GeoJSON (RFC 7946): of a collection, a single feature or a geometry; the case of types does not matter. `undefined`
 * for other JSON.
 */
function featuresOf(value: unknown): readonly Fields[] | undefined {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return undefined
  const type = value['type'].toLowerCase()
  if (type === 'featurecollection') return objectsIn(value['features'])
  if (type === 'feature') return [value]
  return geometryTypes.test(type)
    ? [{ geometry: value, properties: { type: value['type'] } }]
    : undefined
}

const geometryIn = ({ geometry }: Fields): unknown => geometry

const objectsIn = (list: unknown): readonly Fields[] =>
  Array.isArray(list)
    ? list.flatMap((item: unknown) => (isJsonObject(item) && !JSON.isRawJSON(item) ? [item] : []))
    : []

function lineObject(line: string): Fields | undefined {
  try {
    const value = parsed(line)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function rowsOfObjects(objects: readonly Fields[]): JsonRows {
  const sample = objects.slice(0, previewRows)
  const head = [...new Set(sample.flatMap((row) => Object.keys(row)))].slice(0, previewColumns)
  const valueOf = (row: Fields, name: string) => (Object.hasOwn(row, name) ? row[name] : undefined)
  const rows = sample.map((row) => head.map((name) => valueOf(row, name)))
  return { rows: sample.length === 0 ? [] : [head, ...rows], geometries: [] }
}
