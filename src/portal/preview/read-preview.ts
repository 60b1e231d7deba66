/** The first rows of a file: CSV, TSV, JSON, JSON Lines, GeoJSON and XLSX, packed by gzip or zip or not. */

import { constants, gunzipSync } from 'node:zlib'
import { unzipSync, zipSync } from 'fflate'
import readExcel from 'read-excel-file/universal'
import { charsetOf, decodeText, UndecodableText } from '../../text/decoding.ts'
import { uninterrupted } from '../../workers/uninterrupted.ts'
import { delimitedRows } from './delimited.ts'
import { jsonRows } from './json-rows.ts'
import { mapOfGeometries, mapOfTable, type PreviewMap } from './preview-map.ts'
import { type PreviewTable, previewTable } from './preview-table.ts'

const mostSheets = 3
/** Bytes of a file that are read, and that its content may unpack to. */
export const previewBytes = 5 * 2 ** 20
const unpackedBytes = 50 * 2 ** 20

/** Why there is no preview; the page has a sentence for each. */
type PreviewReason =
  | 'too-large'
  | 'too-heavy'
  | 'unreachable'
  | 'status'
  | 'login'
  | 'format'
  | 'empty'
  | 'encoding'
  | 'address'
  | 'damaged'

export type NoPreview = { readonly reason: PreviewReason; readonly status?: number }
type Preview = {
  readonly tables: readonly PreviewTable[]
  /** Of what has places: features of GeoJSON, rows with coordinates. */
  readonly map?: PreviewMap
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
export async function readPreview(file: PreviewFile): Promise<PreviewResult> {
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
    return tablesIn(firstBytesOf(whole, type, isCut), true)
  }
  if (startsWith(bytes, 0x50, 0x4b, 3, 4)) return isCut ? 'too-large' : readZip(file, isUnpacked)
  const text = decodedText(file)
  if (text === undefined) return 'encoding'
  if (text.trim() === '') return 'empty'
  if (/^\s*(?:<!doctype html|<html)/i.test(text) || type.includes('text/html')) return 'login'
  if (/^\s*(?:<|%PDF-)/.test(text)) return 'format'
  return /^\s*[[{]/.test(text) ? readJson(text, isCut) : readDelimited(text, file)
}

/** As much as may be read. */
const firstBytesOf = (whole: Uint8Array, type: string, isCut = false): PreviewFile => ({
  bytes: whole.subarray(0, previewBytes),
  isCut: isCut || whole.length > previewBytes,
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
async function readZip({ bytes, type }: PreviewFile, isUnpacked: boolean): Promise<Read> {
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
    const filled = sheets.filter(({ data }) => data.length > 0).slice(0, mostSheets)
    const tables = filled.map(({ sheet, data }) => previewTable(data, { name: sheet }))
    return tables.length === 0 ? 'empty' : { tables, map: mapOfRows(filled[0]?.data ?? []) }
  }
  const [first] = Object.values(parts)
  return first && !isUnpacked ? tablesIn(firstBytesOf(first, type), true) : 'format'
}

/** Control characters in so many of the first characters show that a file is no text. */
const [sampleSize, mostControls] = [4096, 8]

/** The text in its charset; `undefined` for what is no text. */
function decodedText({ bytes, isCut, type }: PreviewFile): string | undefined {
  try {
    const whole = isCut ? withoutCutCharacter(bytes) : bytes
    // Texts of a sequence begin with a record separator (RFC 7464).
    const text = decodeText(whole, { declared: charsetOf(type) }).text.replaceAll('\u001E', '')
    const start = text.slice(0, sampleSize)
    // oxlint-disable-next-line no-control-regex
    const controls = start.match(/[\x01-\x08\x0E-\x1F\uFFFD]/g) ?? []
    // Two bytes for each character are a guess, unless a mark says so.
    const most = bytes.subarray(0, sampleSize).includes(0) ? 0 : mostControls
    return start.includes('\0') || controls.length > most ? undefined : text
  } catch (error) {
    if (error instanceof UndecodableText) return undefined
    throw error
  }
}

/** Bytes of UTF-8 that do not end within a character. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.subarray(-4).findLastIndex((byte) => byte >= 0xc0)
  return start < 0 ? bytes : bytes.subarray(0, Math.max(0, bytes.length - 4) + start)
}

/** Text in one column is a table where its type says so, or says nothing. */
const listTypes = /^$|csv|tab-separated|excel|text\/plain|octet-stream|download/i

function readDelimited(text: string, { isCut, type }: PreviewFile): Read {
  const rows = delimitedRows(text, isCut)
  const isOneColumn = rows.every((row) => row.length === 1)
  if (isOneColumn && !listTypes.test(type)) return 'format'
  return { tables: [previewTable(rows)], map: mapOfRows(rows) }
}

function readJson(text: string, isCut: boolean): Read {
  const read = jsonRows(text, isCut)
  if (read === undefined) return 'format'
  if (read === 'cut') return 'too-large'
  if (read.rows.length === 0) return 'empty'
  return {
    tables: [previewTable(read.rows)],
    map: mapOfGeometries(read.geometries) ?? mapOfRows(read.rows),
  }
}

/** Geometries in cells are longer than what is shown of them. */
const mapOfRows = (rows: readonly (readonly unknown[])[]) =>
  mapOfTable(previewTable(rows, { most: 100_000 }))
