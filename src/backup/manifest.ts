/** Manifest of a backup (`manifest.json`): which files it has, of which data, and numbers that a restored directory must have again. */

import { hash } from 'node:crypto'
import { z } from 'zod'

/** Format of backups; larger ones are refused. Manifests of format 1 may lack the checksum. */
export const backupFormat = 2

/** Name of the manifest in a backup. It is written last. */
export const manifestName = 'manifest.json'

const copiedFileSchema = z.object({
  /** Path relative to the data directory. */
  path: z.string(),
  bytes: z.number(),
  /** SHA-256 in hexadecimal. */
  sha256: z.string(),
  /** `user_version` and rows of a file of SQLite; absent for others. */
  format: z.number().optional(),
  rows: z.number().optional(),
})

const manifestSchema = z.object({
  format: z.number(),
  /** Version of the program that wrote the backup. */
  version: z.string(),
  /** Instant of the data, ISO 8601. */
  created: z.string(),
  baseUri: z.string(),
  storeId: z.string(),
  /** Dialect of the triplestore, or `embedded`. */
  engine: z.string(),
  files: z.array(copiedFileSchema),
  /** Graphs of the embedded store, by kind of what they describe. */
  counts: z.record(z.string(), z.number()),
  /** Names of parts that the backup lacks: `store` of a server, `index`, `api-key`, files of history. */
  without: z.array(z.string()),
})

/** A file of a backup. */
export type CopiedFile = z.output<typeof copiedFileSchema>
/** Content of `manifest.json`. */
export type Manifest = z.output<typeof manifestSchema>

/** Bytes of all files of a backup. */
export const bytesOf = ({ files }: Pick<Manifest, 'files'>): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

/** SHA-256 of a manifest without its checksum. */
const checksumOf = (manifest: object): string => hash('sha256', JSON.stringify(manifest), 'hex')

/** Text of a manifest, which has a checksum of itself. */
export const manifestText = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, undefined, 2)}\n`

const versionSchema = z.object({ format: z.number(), version: z.string() })

/** Format and program of a manifest, whatever else it has; `undefined` where the text is none. */
export function versionOfManifest(text: string): z.output<typeof versionSchema> | undefined {
  try {
    return versionSchema.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Reads a manifest; `undefined` where the text is none, or is damaged. */
export function readManifest(text: string): Manifest | undefined {
  try {
    const { checksum, ...manifest }: Record<string, unknown> = JSON.parse(text)
    const mayLackChecksum = manifest['format'] === 1
    const isWhole = checksum === undefined ? mayLackChecksum : checksum === checksumOf(manifest)
    return isWhole ? manifestSchema.safeParse(manifest).data : undefined
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}
