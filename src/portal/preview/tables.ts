/** The first rows of a file: CSV, TSV, JSON, JSON Lines, GeoJSON and XLSX, packed by gzip or zip or not. */

import { constants, gunzipSync } from 'node:zlib'
import { unzipSync, zipSync } from 'fflate'
import Papa from 'papaparse'
import readExcel from 'read-excel-file/universal'
import { type Fields, isJsonObject, memberFields } from '../../text/json.ts'
import { type BoundingBox, boundsOf, positionsOf } from '../../vocabularies/geometry.ts'
import { uninterrupted } from '../../workers/uninterrupted.ts'

/** What a preview holds at most. */
const [mostRows, mostColumns, mostCharacters, mostSheets] = [200, 50, 300, 3]
/** Bytes of a file that are read, and that its content may unpack to. */
export const readBytes = 5 * 2 ** 20
const unpackedBytes = 50 * 2 ** 20

type PreviewTable = {
  readonly name?: string | undefined
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Why there is no preview; the page has a sentence for each. */
type PreviewReason =
  | 'too-large'
  | 'too-heavy'
  | 'unreachable'
  | 'status'
  | 'login'
  | 'format'
  | 'encoding'
  | 'address'
  | 'damaged'

export type NoPreview = { readonly reason: PreviewReason; readonly status?: number }
type Preview = {
  readonly tables: readonly PreviewTable[]
  /** Around the features of GeoJSON. */
  readonly box?: BoundingBox
}
export type PreviewResult = Preview | NoPreview

export type PreviewFile = {
  readonly bytes: Uint8Array
  /** Whether there is more than `bytes`. */
  readonly isCut: boolean
  /** `Content-Type`. */
  readonly type: string
}

type Read = Preview | PreviewReason

/** Never rejects. */
export async function previewTablesOf(file: PreviewFile): Promise<PreviewResult> {
  try {
    const read = await tablesIn(file, false)
    return typeof read === 'string' ? { reason: read } : read
  } catch (error) {
    // What `maxOutputLength` throws: the file unpacks to more than may be read.
    const isBomb = error instanceof RangeError && 'code' in error
    return { reason: isBomb ? 'too-large' : 'damaged' }
  }
}

const startsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** What is packed within what is packed is not looked at. */
async function tablesIn(file: PreviewFile, isUnpacked: boolean): Promise<Read> {
  const { bytes, isCut, type } = file
  if (startsWith(bytes, 0x1f, 0x8b) && !isUnpacked) {
    const finishFlush = isCut ? constants.Z_SYNC_FLUSH : constants.Z_FINISH
    const options = { maxOutputLength: unpackedBytes, finishFlush }
    const whole = uninterrupted(() => gunzipSync(bytes, options))
    return tablesIn(beginning(whole, type, isCut), true)
  }
  if (startsWith(bytes, 0x50, 0x4b, 3, 4)) return isCut ? 'too-large' : zipped(file, isUnpacked)
  const text = decoded(bytes)
  if (text === undefined) return 'encoding'
  if (/^\s*(?:<!doctype html|<html)/i.test(text) || type.includes('text/html')) return 'login'
  if (/^\s*</.test(text)) return 'format'
  return /^\s*[[{]/.test(text) ? json(text, isCut) : delimited(text, isCut)
}

/** As much as may be read. */
const beginning = (whole: Uint8Array, type: string, isCut = false): PreviewFile => ({
  bytes: whole.subarray(0, readBytes),
  isCut: isCut || whole.length > readBytes,
  type,
})

const readable = /^(?!xl\/).*\.(?:csv|tsv|txt|json|geojson|jsonl|ndjson)$/i

/**
 * The workbook with its parts stored uncompressed: the reader would start threads of its own for large ones, and Node's zlib must
 * not be in use when this thread is ended.
 */
function unpackedWorkbook(bytes: Uint8Array): ArrayBuffer {
  const parts = unzipSync(bytes, { filter: ({ name }) => /\.(?:xml|rels)$/i.test(name) })
  return zipSync(parts, { level: 0 }).buffer
}

/** A workbook, or the first file in an archive that can be read. */
async function zipped({ bytes, type }: PreviewFile, isUnpacked: boolean): Promise<Read> {
  let total = 0
  let isWorkbook = false
  const parts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      isWorkbook ||= name === 'xl/workbook.xml'
      total += originalSize
      return total <= unpackedBytes && readable.test(name)
    },
  })
  if (total > unpackedBytes) return 'too-large'
  if (isWorkbook) {
    const sheets = await readExcel(unpackedWorkbook(bytes))
    return { tables: sheets.slice(0, mostSheets).map(({ sheet, data }) => tableOf(data, sheet)) }
  }
  const [first] = Object.values(parts)
  return first && !isUnpacked ? tablesIn(beginning(first, type), true) : 'format'
}

/** UTF-8 or UTF-16 with its mark, else UTF-8, else what Windows wrote; `undefined` for what is no text. */
function decoded(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, 0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes)
  if (startsWith(bytes, 0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, 4096).includes(0)) return undefined
  try {
    // The last character may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function delimited(text: string, isCut: boolean): Read {
  const { data } = Papa.parse<string[]>(text, {
    preview: mostRows + 1,
    skipEmptyLines: true,
    delimitersToGuess: [',', ';', '\t', '|'],
  })
  const rows = isCut && data.length <= mostRows ? data.slice(0, -1) : data
  return rows.every((row) => row.length === 1) ? 'format' : { tables: [tableOf(rows)] }
}

/** An object in each line, or a list of objects: the whole, its first list, the features of GeoJSON. */
function json(text: string, isCut: boolean): Read {
  const lines = text.split('\n', mostRows + 1).filter((line) => line.trim() !== '')
  const records = lines.map(lineObject)
  // The last line may be cut.
  const isLines = records.length > 1 && records.slice(0, -1).every(Boolean)
  if (isLines) return tableOfObjects(records.filter((one) => one !== undefined))
  if (isCut) return 'too-large'
  const value: unknown = JSON.parse(text)
  const lists: unknown[] = isJsonObject(value) ? Object.values(value) : [value]
  const first = lists.map(objectsIn).find((list) => list.length > 0)
  if (!first) return 'format'
  const isGeo = isJsonObject(value) && value['type'] === 'FeatureCollection'
  return isGeo ? featuresTable(first) : tableOfObjects(first)
}

/** Other coordinates than degrees have no place on the map. */
function featuresTable(features: readonly Fields[]): Preview {
  const geometries = features.map(({ geometry }) => geometry)
  const box = boundsOf(positionsOf({ geometries }))
  const [west, south, east, north] = box
  const isOnEarth = west >= -180 && west <= east && east <= 180 && south >= -90 && north <= 90
  const rows = features.map(({ properties }) => memberFields(properties))
  return { ...tableOfObjects(rows), ...(isOnEarth && { box }) }
}

const objectsIn = (list: unknown): readonly Fields[] =>
  Array.isArray(list) ? list.flatMap((one: unknown) => (isJsonObject(one) ? [one] : [])) : []

function lineObject(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function tableOfObjects(objects: readonly Fields[]): Preview {
  const some = objects.slice(0, mostRows)
  const head = [...new Set(some.flatMap((one) => Object.keys(one)))].slice(0, mostColumns)
  const valueOf = (one: Fields, name: string) => (Object.hasOwn(one, name) ? one[name] : undefined)
  const rows = some.map((one) => head.map((name) => valueOf(one, name)))
  return { tables: [tableOf([head, ...rows])] }
}

function tableOf(rows: readonly (readonly unknown[])[], name?: string): PreviewTable {
  const [head = [], ...texts] = rows
    .slice(0, mostRows + 1)
    .map((row) => row.slice(0, mostColumns).map(cellText))
  return { head, rows: texts, name: name && cellText(name) }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}
