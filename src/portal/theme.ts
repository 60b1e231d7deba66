/** What an operator adds to the portal in one directory: pages, texts, a style sheet, pictures. Changes need no restart. */

import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import type { PortalConfig } from '../config/portal.ts'
import type { Log } from '../log.ts'

/** A page of the operator in Markdown. `language` is absent where it is the same in all. */
type OperatorPage = {
  readonly name: string
  readonly language: string | undefined
  readonly title: string
  readonly position: number
  readonly text: string
}

export type Theme = {
  readonly pages: readonly OperatorPage[]
  /** Language → texts in place of ours. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Path of the operator's style sheet below the root. */
  readonly customStyle: string | undefined
  /** Path of the logo below the root. */
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

/** The type of a file by its ending; `undefined` where we serve none of it. */
export const assetType = (name: string): string | undefined =>
  types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]

/** Milliseconds for which nobody looks again. */
const lookMs = 2000
const mostBytes = 5 * 2 ** 20

export function openTheme({ directory, logo }: PortalConfig, log: Log) {
  let [last, looked]: [Promise<Theme> | undefined, number] = [undefined, -Infinity]
  /** The same object while nothing has changed: what was made of it holds. */
  const refresh = async (before: Promise<Theme> | undefined): Promise<Theme> => {
    const [known, found] = [await before, await read()]
    return known && isDeepStrictEqual(known, found) ? known : found
  }
  const read = async (): Promise<Theme> => {
    const ownPages = directory === undefined ? [] : await pagesIn(join(directory, 'pages'), log)
    const style =
      directory === undefined ? undefined : await fileVersion(join(directory, 'custom.css'))
    return {
      pages: mergePages(await pagesIn(builtInPages, log), ownPages),
      texts: directory === undefined ? {} : await textsIn(join(directory, 'texts'), log),
      customStyle: style && `theme/${style}/custom.css`,
      logo: directory !== undefined && logo !== undefined ? `theme/0/${basename(logo)}` : undefined,
    }
  }
  return {
    /** The theme as it is now. */
    current: (): Promise<Theme> => {
      if (last && performance.now() - looked < lookMs) return last
      looked = performance.now()
      last = refresh(last)
      return last
    },
    /** A file of its folder `assets`, or its style sheet. */
    file: async (name: string) => {
      const type = assetType(name)
      if (directory === undefined || type === undefined || name !== basename(name)) return undefined
      const place = name === 'custom.css' ? join(directory, name) : join(directory, 'assets', name)
      const about = await stat(place).catch(() => undefined)
      if (!about?.isFile() || about.size > mostBytes) return undefined
      return { type, body: await readFile(place) }
    },
  }
}

/** Pages that the portal comes with; a page of the operator with the same name replaces them in all languages. */
const builtInPages = fileURLToPath(new URL('assets/pages/', import.meta.url))

const mergePages = (
  pages: readonly OperatorPage[],
  own: readonly OperatorPage[],
): readonly OperatorPage[] =>
  [...pages.filter(({ name }) => !own.some((one) => one.name === name)), ...own].toSorted(
    (a, b) => a.position - b.position,
  )

/** When a file was changed, as a part of its address; `undefined` where there is none. */
const fileVersion = async (path: string): Promise<string | undefined> => {
  const about = await stat(path).catch(() => undefined)
  return about?.isFile() ? Math.round(about.mtimeMs).toString(36) : undefined
}

/** What `read` makes of each file of a folder whose name matches; what it cannot read is left out and told. */
async function filesIn<Read>(
  folder: string,
  name: RegExp,
  log: Log,
  read: (text: string, match: readonly string[]) => Read,
): Promise<readonly Read[]> {
  const files = await readdir(folder).catch(() => [])
  const matches = files.map((file) => name.exec(file)).filter((match) => match !== null)
  const found = await Promise.all(
    matches.map(async (match) => {
      try {
        return [read(await readFile(join(folder, match[0]), 'utf8'), match)]
      } catch (error) {
        log.warn({ err: error, file: match[0] }, 'portal.file-read-failed')
        return []
      }
    }),
  )
  return found.flat()
}

const frontMatter = z.object({ title: z.string().optional(), position: z.number().default(0) })

/** `imprint.de.md`, `about.md`: title and position stand in YAML before the text. */
const pagesIn = (folder: string, log: Log): Promise<readonly OperatorPage[]> =>
  filesIn(folder, /^([\w-]+)(?:\.([a-z]{2}))?\.md$/, log, (whole, [, name = '', language]) => {
    const [, head = '', text = whole] = /^---\n([^]*?)\n---\n([^]*)$/.exec(whole) ?? []
    const { title = name, position } = frontMatter.parse(parseYaml(head) ?? {})
    return { name, language, title, position, text }
  })

const ownTexts = z.record(z.string(), z.string())

const textsIn = async (folder: string, log: Log): Promise<Theme['texts']> =>
  Object.fromEntries(
    await filesIn(folder, /^([a-z]{2})\.json$/, log, (text, [, language = '']) => [
      language,
      ownTexts.parse(JSON.parse(text)),
    ]),
  )
