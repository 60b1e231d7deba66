/** The first rows of a file: CSV, TSV, JSON, JSON Lines, GeoJSON and XLSX, packed by gzip or zip or not. */

import { constants, gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import Papa from 'papaparse'
import readExcel from 'read-excel-file/node'
import { isJsonObject } from '../../text/json.ts'

/** What a preview holds at most. */
const [mostRows, mostColumns, mostCharacters, mostSheets] = [200, 50, 300, 3]
/** Bytes of a file that are read, and that its content may unpack to. */
export const readBytes = 5 * 2 ** 20
const unpackedBytes = 50 * 2 ** 20

export type PreviewTable = {
  readonly name?: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Why there is no preview; the page has a sentence for each. */
export type PreviewReason =
  | 'too-large'
  | 'unreachable'
  | 'status'
  | 'login'
  | 'format'
  | 'encoding'
  | 'address'
  | 'damaged'

export type PreviewResult =
  | { readonly tables: readonly PreviewTable[]; readonly box?: readonly number[] }
  | { readonly reason: PreviewReason; readonly status?: number }

export type PreviewFile = {
  readonly bytes: Uint8Array
  /** Whether there is more than `bytes`. */
  readonly isCut: boolean
  /** `Content-Type`. */
  readonly type: string
}

const startsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** Never throws. */
export async function previewTablesOf(file: PreviewFile): Promise<PreviewResult> {
  try {
    return await read(file, 0)
  } catch (error) {
    // What `maxOutputLength` throws: the file unpacks to more than may be read.
    const isBomb = error instanceof RangeError && 'code' in error
    return { reason: isBomb ? 'too-large' : 'damaged' }
  }
}

async function read(file: PreviewFile, depth: number): Promise<PreviewResult> {
  const { bytes, isCut } = file
  if (startsWith(bytes, 0x1f, 0x8b) && depth === 0) return read(unpacked(file), depth + 1)
  if (startsWith(bytes, 0x50, 0x4b, 3, 4))
    return isCut ? { reason: 'too-large' } : zipped(file, depth)
  const text = decoded(bytes)
  if (text === undefined) return { reason: 'encoding' }
  if (/^\s*(?:<!doctype html|<html)/i.test(text) || file.type.includes('text/html'))
    return { reason: 'login' }
  if (/^\s*</.test(text)) return { reason: 'format' }
  if (/^\s*[[{]/.test(text)) return json(text, isCut)
  return delimited(text, isCut)
}

/** As much as may be unpacked; what is behind it is as good as cut. */
function unpacked({ bytes, type, isCut }: PreviewFile): PreviewFile {
  const whole = gunzipSync(bytes, {
    maxOutputLength: unpackedBytes,
    ...(isCut && { finishFlush: constants.Z_SYNC_FLUSH }),
  })
  return { bytes: whole.subarray(0, readBytes), isCut: isCut || whole.length > readBytes, type }
}

async function zipped({ bytes, type }: PreviewFile, depth: number): Promise<PreviewResult> {
  let total = 0
  const wanted = /(?:\.(?:csv|tsv|txt|json|geojson|jsonl|ndjson))$/i
  let isWorkbook = false
  const parts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      isWorkbook ||= name === 'xl/workbook.xml'
      total += originalSize
      return total <= unpackedBytes && wanted.test(name) && !name.startsWith('xl/')
    },
  })
  if (total > unpackedBytes) return { reason: 'too-large' }
  if (isWorkbook) return workbook(bytes)
  const [first] = Object.values(parts)
  if (!first || depth > 0) return { reason: 'format' }
  return read(
    { bytes: first.subarray(0, readBytes), isCut: first.length > readBytes, type },
    depth + 1,
  )
}

async function workbook(bytes: Uint8Array): Promise<PreviewResult> {
  const sheets = await readExcel(Buffer.from(bytes))
  const tables = sheets.slice(0, mostSheets).map(({ sheet, data }) =>
    tableOf(
      data.map((row) => row.map(cellText)),
      sheet,
    ),
  )
  return { tables }
}

/** UTF-8 or UTF-16 with its mark, else UTF-8, else what Windows wrote; `undefined` for what is no text. */
function decoded(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, 4096)
  if (startsWith(bytes, 0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes)
  if (startsWith(bytes, 0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes)
  if (start.includes(0)) return undefined
  try {
    // The last character may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function delimited(text: string, isCut: boolean): PreviewResult {
  const { data } = Papa.parse<string[]>(text, {
    preview: mostRows + 1,
    skipEmptyLines: true,
    delimitersToGuess: [',', ';', '\t', '|'],
  })
  const rows = isCut && data.length <= mostRows ? data.slice(0, -1) : data
  return rows.every((row) => row.length === 1) ? { reason: 'format' } : { tables: [tableOf(rows)] }
}

function json(text: string, isCut: boolean): PreviewResult {
  const lines = text.split('\n', mostRows + 1).filter((line) => line.trim() !== '')
  const records = lines.length > 1 ? lines.slice(0, -1).flatMap(parsedLine) : []
  if (records.length === lines.length - 1 && records.length > 0)
    return { tables: [tableOfObjects([...records, ...lines.slice(-1).flatMap(parsedLine)])] }
  if (isCut) return { reason: 'too-large' }
  const value: unknown = JSON.parse(text)
  if (
    isJsonObject(value) &&
    value['type'] === 'FeatureCollection' &&
    Array.isArray(value['features'])
  ) {
    const features: unknown[] = value['features'].filter(isJsonObject)
    return {
      tables: [
        tableOfObjects(
          features.flatMap((one) =>
            isJsonObject(one) && isJsonObject(one['properties']) ? [one['properties']] : [],
          ),
        ),
      ],
    }
  }
  const list = Array.isArray(value)
    ? value
    : isJsonObject(value)
      ? Object.values(value).find((one) => Array.isArray(one))
      : undefined
  const objects = Array.isArray(list) ? list.filter(isJsonObject) : []
  return objects.length > 0 ? { tables: [tableOfObjects(objects)] } : { reason: 'format' }
}

function parsedLine(line: string): readonly object[] {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? [value] : []
  } catch {
    return []
  }
}

function tableOfObjects(objects: readonly object[]): PreviewTable {
  const some = objects.slice(0, mostRows)
  const head = [...new Set(some.flatMap((one) => Object.keys(one)))].slice(0, mostColumns)
  const rows = some.map((one) => {
    const members = new Map<string, unknown>(Object.entries(one))
    return head.map((name) => short(cellText(members.get(name))))
  })
  return { head: head.map(short), rows }
}

function tableOf(rows: readonly (readonly string[])[], name?: string): PreviewTable {
  const [head = [], ...rest] = rows.map((row) => row.slice(0, mostColumns).map(short))
  return { head, rows: rest.slice(0, mostRows), ...(name !== undefined && { name: short(name) }) }
}

const short = (text: string): string =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text

/** A cell as text. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}
