/** Style, script, fonts and icon of the portal, each at an address that changes with its content. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PortalConfig } from '../config/portal.ts'

type Asset = { readonly type: string; readonly body: Uint8Array<ArrayBuffer> | string }

export type Assets = ReturnType<typeof openAssets>

const require = createRequire(import.meta.url)
const own = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  woff2: 'font/woff2',
}

/** The type of a file by its ending; `undefined` where we serve none of it. */
export const assetType = (name: string): string | undefined =>
  types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]

/** The font that every page uses. */
export const mainFont = 'source-serif-4-latin-wght-normal.woff2'

/** Everything that pages load, read once. */
export function openAssets(config: PortalConfig) {
  const byName = new Map<string, string>()
  const byPath = new Map<string, Asset>()
  const add = (name: string, body: Asset['body']) => {
    const at = name.lastIndexOf('.')
    const path = `assets/${name.slice(0, at)}.${hash('sha256', body, 'hex').slice(0, 8)}${name.slice(at)}`
    byName.set(name, path)
    byPath.set(path, { type: assetType(name) ?? 'application/octet-stream', body })
    return path
  }
  const faces = config.font === 'source-serif' ? fontFaces(add) : ''
  add('portal.css', `${faces}${own('portal.css')}${tokensOf(config)}`)
  add('portal.js', own('portal.js'))
  add('favicon.svg', own('favicon.svg'))
  return {
    /** Path of an asset with the hash of its content: `assets/portal.1a2b3c4d.css`. */
    path: (name: string): string => byName.get(name) ?? `assets/${name}`,
    /** By path; `undefined` for others. */
    find: (path: string): Asset | undefined => byPath.get(path),
  }
}

/** Colours of the operator, by day and by night: rules after all others. */
function tokensOf({ colours: { accent, accentDark, rubric } }: PortalConfig): string {
  const ink = `--accent: light-dark(${accent ?? '#0d5c58'}, ${accentDark ?? '#7fcac2'});`
  const own = [(accent ?? accentDark) && ink, rubric && `--rubric: light-dark(${rubric}, #f0a088);`]
  return `\n@layer custom { :root { ${own.filter(Boolean).join(' ')} } }\n`
}

/**
 * The rules of Source Serif 4 (OFL-1.1), whose scripts are loaded where a page uses them. A font that comes late is for the next
 * page: nothing moves while somebody reads.
 */
function fontFaces(add: (name: string, body: Uint8Array<ArrayBuffer>) => string): string {
  const style = require.resolve('@fontsource-variable/source-serif-4/wght.css')
  const rules = readFileSync(style, 'utf8').replaceAll(
    'font-display: swap',
    'font-display: optional',
  )
  return rules.replaceAll(/\.\/files\/([^)]+)/g, (_, file: string) => {
    const path = add(file, readFileSync(join(dirname(style), 'files', file)))
    return path.slice(path.lastIndexOf('/') + 1)
  })
}
