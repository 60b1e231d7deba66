/** Theme: pages, texts, a style sheet and pictures of the operator in one directory. Changes need no restart. */

import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import type { PortalConfig } from '../config/portal.ts'
import type { Log } from '../log.ts'

/** Page of the operator, or a built-in one, in Markdown; without `language` it is for all languages. `position` orders pages. */
type OperatorPage = {
  readonly name: string
  readonly language: string | undefined
  readonly title: string
  readonly position: number
  readonly text: string
}

/** State of the theme. */
export type Theme = {
  readonly pages: readonly OperatorPage[]
  /** Language → messages that replace those of the portal. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Path of the operator's style sheet below the root of the platform. */
  readonly customStyle: string | undefined
  /** Path of the logo below the root of the platform. */
  readonly logo: string | undefined
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  woff2: 'font/woff2',
}

/** Media type of a file by its ending; `undefined` for types that are not served. */
export const assetType = (name: string): string | undefined =>
  types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]

/** Milliseconds between two reads of the directory. */
const readIntervalMs = 2000
/** Most bytes of a file that is served. */
const mostBytes = 5 * 2 ** 20

/** Opens the theme in the configured directory; without one it has the built-in pages alone. */
export function openTheme({ directory, logo }: PortalConfig, log: Log) {
  let [latest, lastRead]: [Promise<Theme> | undefined, number] = [undefined, -Infinity]
  /** Reads the theme again; resolves with the same object while nothing has changed, so that caches can compare it. */
  const refresh = async (before: Promise<Theme> | undefined): Promise<Theme> => {
    const [old, current] = [await before, await read()]
    return old && isDeepStrictEqual(old, current) ? old : current
  }
  const read = async (): Promise<Theme> => {
    const operatorPages =
      directory === undefined ? [] : await pagesIn(join(directory, 'pages'), log)
    const style =
      directory === undefined ? undefined : await fileVersion(join(directory, 'custom.css'))
    return {
      pages: mergePages(await pagesIn(builtInPages, log), operatorPages),
      texts: directory === undefined ? {} : await textsIn(join(directory, 'texts'), log),
      customStyle: style && `theme/${style}/custom.css`,
      logo: directory !== undefined && logo !== undefined ? `theme/0/${basename(logo)}` : undefined,
    }
  }
  return {
    /** The theme, at most two seconds old. */
    current: (): Promise<Theme> => {
      if (latest && performance.now() - lastRead < readIntervalMs) return latest
      lastRead = performance.now()
      latest = refresh(latest)
      return latest
    },
    /** File of the folder `assets`, or `custom.css`; `undefined` where there is none that may be served. */
    file: async (name: string) => {
      const type = assetType(name)
      if (directory === undefined || type === undefined || name !== basename(name)) return undefined
      const path = name === 'custom.css' ? join(directory, name) : join(directory, 'assets', name)
      const stats = await stat(path).catch(() => undefined)
      if (!stats?.isFile() || stats.size > mostBytes) return undefined
      return { type, body: await readFile(path) }
    },
  }
}

/** Directory of the built-in pages; a page of the operator with the same name, in any language, replaces them in all. */
const builtInPages = fileURLToPath(new URL('assets/pages/', import.meta.url))

const mergePages = (
  pages: readonly OperatorPage[],
  replacements: readonly OperatorPage[],
): readonly OperatorPage[] =>
  [
    ...pages.filter(({ name }) => !replacements.some((page) => page.name === name)),
    ...replacements,
  ].toSorted((a, b) => a.position - b.position)

/** Version of a file for its address, made of its time of change; `undefined` where there is no file. */
const fileVersion = async (path: string): Promise<string | undefined> => {
  const stats = await stat(path).catch(() => undefined)
  return stats?.isFile() ? Math.round(stats.mtimeMs).toString(36) : undefined
}

/** Results of `read` for each file of a folder whose name matches; a file that cannot be read is logged and left out. */
async function filesIn<Read>(
  folder: string,
  name: RegExp,
  log: Log,
  read: (text: string, match: readonly string[]) => Read,
): Promise<readonly Read[]> {
  const files = await readdir(folder).catch(() => [])
  const matches = files.map((file) => name.exec(file)).filter((match) => match !== null)
  const results = await Promise.all(
    matches.map(async (match) => {
      try {
        return [read(await readFile(join(folder, match[0]), 'utf8'), match)]
      } catch (error) {
        log.warn({ err: error, file: match[0] }, 'portal.file-read-failed')
        return []
      }
    }),
  )
  return results.flat()
}

const frontMatter = z.object({ title: z.string().optional(), position: z.number().default(0) })

/** Reads pages such as `imprint.de.md` and `about.md`; title and position are in YAML before the text. */
const pagesIn = (folder: string, log: Log): Promise<readonly OperatorPage[]> =>
  filesIn(folder, /^([\w-]+)(?:\.([a-z]{2}))?\.md$/, log, (content, [, name = '', language]) => {
    const [, head = '', text = content] = /^---\n([^]*?)\n---\n([^]*)$/.exec(content) ?? []
    const { title = name, position } = frontMatter.parse(parseYaml(head) ?? {})
    return { name, language, title, position, text }
  })

const operatorTexts = z.record(z.string(), z.string())

const textsIn = async (folder: string, log: Log): Promise<Theme['texts']> =>
  Object.fromEntries(
    await filesIn(folder, /^([a-z]{2})\.json$/, log, (text, [, language = '']) => [
      language,
      operatorTexts.parse(JSON.parse(text)),
    ]),
  )
