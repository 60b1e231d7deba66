/** Reads the first rows of a file in CSV, TSV, JSON, JSON Lines, GeoJSON or XLSX, also compressed by gzip or zip. */

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
/** Most bytes of a file that are read. */
export const previewBytes = 5 * 2 ** 20
/** Most bytes that a compressed file may unpack to. */
const unpackedBytes = 50 * 2 ** 20

/** Reason why there is no preview: `preview-{reason}` is the message on the page. */
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

/** Reason why there is no preview; `status` is that of the host, for the reason `status`. */
export type NoPreview = { readonly reason: PreviewReason; readonly status?: number }
type Preview = {
  readonly tables: readonly PreviewTable[]
  /** Map of GeoJSON features or of rows with coordinates; absent without either. */
  readonly map?: PreviewMap
}
/** Preview of a file, or the reason why there is none. */
export type PreviewResult = Preview | NoPreview

/** Beginning of a file. */
export type PreviewFile = {
  readonly bytes: Uint8Array
  /** Whether the file is longer than `bytes`. */
  readonly isCut: boolean
  /** `Content-Type`. */
  readonly type: string
}

type ReadResult = Preview | PreviewReason

/** Reads the preview of a file. Never rejects: an error becomes a reason. */
export async function readPreview(file: PreviewFile): Promise<PreviewResult> {
  try {
    const tables = await tablesIn(file, false)
    return typeof tables === 'string' ? { reason: tables } : tables
  } catch (error) {
    // `maxOutputLength` throws this error when the file unpacks to more than may be read.
    const isTooLong = error instanceof RangeError && 'code' in error
    return { reason: isTooLong ? 'too-large' : 'damaged' }
  }
}

const startsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** Reads tables by the first bytes of the file; inside of a compressed file, only a workbook in gzip may be compressed itself. */
async function tablesIn(file: PreviewFile, isUnpacked: boolean): Promise<ReadResult> {
  const { bytes, isCut, type } = file
  if (startsWith(bytes, 0x1f, 0x8b) && !isUnpacked) {
    const finishFlush = isCut ? constants.Z_SYNC_FLUSH : constants.Z_FINISH
    const options = { maxOutputLength: unpackedBytes, finishFlush }
    const unpacked = uninterrupted(() => gunzipSync(bytes, options))
    return tablesIn(firstBytesOf(unpacked, type, isCut), true)
  }
  if (startsWith(bytes, 0x50, 0x4b, 3, 4)) return isCut ? 'too-large' : readZip(file, isUnpacked)
  const text = decodedText(file)
  if (text === undefined) return 'encoding'
  if (text.trim() === '') return 'empty'
  if (/^\s*(?:<!doctype html|<html)/i.test(text) || type.includes('text/html')) return 'login'
  if (/^\s*(?:<|%PDF-)/.test(text)) return 'format'
  return /^\s*[[{]/.test(text) ? readJson(text, isCut) : readDelimited(text, file)
}

/** Cuts unpacked bytes to the length that may be read. */
const firstBytesOf = (unpacked: Uint8Array, type: string, isCut = false): PreviewFile => ({
  bytes: unpacked.subarray(0, previewBytes),
  isCut: isCut || unpacked.length > previewBytes,
  type,
})

const readable = /^(?!xl\/).*\.(?:csv|tsv|txt|json|geojson|jsonl|ndjson)$/i

/**
 * Rewrites a workbook with uncompressed parts: for large compressed ones the reader would start threads of its own, and Node's
 * zlib must not be in use when this thread is ended.
 */
function unpackedWorkbook(bytes: Uint8Array): ArrayBuffer {
  const parts = unzipSync(bytes, { filter: ({ name }) => /\.(?:xml|rels)$/i.test(name) })
  return zipSync(parts, { level: 0 }).buffer
}

/** Reads a workbook, or the first readable file of a zip archive. */
async function readZip({ bytes, type }: PreviewFile, isUnpacked: boolean): Promise<ReadResult> {
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

/** First characters that are examined, and most control characters among them in a file that counts as text. */
const [sampleSize, mostControls] = [4096, 8]

/** Decodes a text in its charset; `undefined` for a file that is no text. */
function decodedText({ bytes, isCut, type }: PreviewFile): string | undefined {
  try {
    const complete = isCut ? withoutCutCharacter(bytes) : bytes
    // Texts of a JSON sequence begin with a record separator (RFC 7464).
    const text = decodeText(complete, { declared: charsetOf(type) }).text.replaceAll('\u001E', '')
    const start = text.slice(0, sampleSize)
    // oxlint-disable-next-line no-control-regex
    const controls = start.match(/[\x01-\x08\x0E-\x1F\uFFFD]/g) ?? []
    // UTF-16 without a byte order mark is a guess, so no control character is permitted.
    const most = bytes.subarray(0, sampleSize).includes(0) ? 0 : mostControls
    return start.includes('\0') || controls.length > most ? undefined : text
  } catch (error) {
    if (error instanceof UndecodableText) return undefined
    throw error
  }
}

/** Cuts UTF-8 before its last character of several bytes, if that begins in the last four bytes, because it may be incomplete. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  const start = bytes.subarray(-4).findLastIndex((byte) => byte >= 0xc0)
  return start < 0 ? bytes : bytes.subarray(0, Math.max(0, bytes.length - 4) + start)
}

/** Media types with which a text in one column counts as a table. */
const listTypes = /^$|csv|tab-separated|excel|text\/plain|octet-stream|download/i

function readDelimited(text: string, { isCut, type }: PreviewFile): ReadResult {
  const rows = delimitedRows(text, isCut)
  const isOneColumn = rows.every((row) => row.length === 1)
  if (isOneColumn && !listTypes.test(type)) return 'format'
  return { tables: [previewTable(rows)], map: mapOfRows(rows) }
}

function readJson(text: string, isCut: boolean): ReadResult {
  const result = jsonRows(text, isCut)
  if (result === undefined) return 'format'
  if (result === 'cut') return 'too-large'
  if (result.rows.length === 0) return 'empty'
  return {
    tables: [previewTable(result.rows)],
    map: mapOfGeometries(result.geometries) ?? mapOfRows(result.rows),
  }
}

/** Map of the coordinates in rows; cells are cut later than in the table, because geometries are long. */
const mapOfRows = (rows: readonly (readonly unknown[])[]) =>
  mapOfTable(previewTable(rows, { most: 100_000 }))
