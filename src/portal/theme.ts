/** What an operator adds to the portal in one directory: pages, texts, a style sheet, pictures. Changes need no restart. */

import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import type { PortalConfig } from '../config/portal.ts'
import type { Log } from '../log.ts'
import { assetType } from './assets.ts'

/** A page of the operator in Markdown. `language` is absent where it is the same in all. */
type OwnPage = {
  readonly name: string
  readonly language: string | undefined
  readonly title: string
  readonly position: number
  readonly text: string
}

export type Theme = {
  readonly pages: readonly OwnPage[]
  /** Language → texts in place of ours. */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Path of the operator's style sheet below the root. */
  readonly customStyle: string | undefined
  /** Path of the logo below the root. */
  readonly logo: string | undefined
}

/** The theme as it is now, and a file of its folder `assets`. */
export type ThemeFolder = {
  readonly current: () => Promise<Theme>
  readonly file: (
    name: string,
  ) => Promise<{ readonly type: string; readonly body: Uint8Array<ArrayBuffer> } | undefined>
}

/** Milliseconds for which nobody looks again. */
const lookMs = 2000
const mostBytes = 5 * 2 ** 20

export function openTheme({ directory, logo }: PortalConfig, log: Log): ThemeFolder {
  let [last, looked]: [Promise<Theme> | undefined, number] = [undefined, -Infinity]
  const read = async (): Promise<Theme> => ({
    pages: withOwn(
      await pagesIn(shipped, log),
      directory === undefined ? [] : await pagesIn(join(directory, 'pages'), log),
    ),
    texts: directory === undefined ? {} : await textsIn(join(directory, 'texts'), log),
    customStyle:
      directory !== undefined && (await exists(join(directory, 'custom.css')))
        ? `theme/${await tag(join(directory, 'custom.css'))}/custom.css`
        : undefined,
    logo: directory !== undefined && logo !== undefined ? `theme/0/${basename(logo)}` : undefined,
  })
  return {
    current: () => {
      if (last && performance.now() - looked < lookMs) return last
      looked = performance.now()
      last = read()
      return last
    },
    file: async (name) => {
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
const shipped = fileURLToPath(new URL('assets/pages/', import.meta.url))

const withOwn = (pages: readonly OwnPage[], own: readonly OwnPage[]): readonly OwnPage[] =>
  [...pages.filter(({ name }) => !own.some((one) => one.name === name)), ...own].toSorted(
    (a, b) => a.position - b.position,
  )

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    (about) => about.isFile(),
    () => false,
  )

const tag = async (path: string): Promise<string> =>
  Math.round((await stat(path)).mtimeMs).toString(36)

const filesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])

const frontMatter = z.object({ title: z.string().optional(), position: z.number().default(0) })

/** `imprint.de.md`, `about.md`: title and position stand in YAML before the text. */
async function pagesIn(folder: string, log: Log): Promise<readonly OwnPage[]> {
  const pages: OwnPage[] = []
  for (const file of await filesIn(folder)) {
    const [, name, language] = /^([\w-]+)(?:\.([a-z]{2}))?\.md$/.exec(file) ?? []
    if (name === undefined) continue
    try {
      const whole = await readFile(join(folder, file), 'utf8')
      const [, head = '', text = whole] = /^---\n([^]*?)\n---\n([^]*)$/.exec(whole) ?? []
      const { title, position } = frontMatter.parse(parseYaml(head) ?? {})
      pages.push({ name, language, title: title ?? name, position, text })
    } catch (error) {
      log.warn({ err: error, file }, 'portal.page-unread')
    }
  }
  return pages
}

const ownTexts = z.record(z.string(), z.string())

async function textsIn(folder: string, log: Log): Promise<Theme['texts']> {
  const texts: Record<string, Readonly<Record<string, string>>> = {}
  for (const file of await filesIn(folder)) {
    const language = /^([a-z]{2})\.json$/.exec(file)?.[1]
    if (language === undefined) continue
    try {
      texts[language] = ownTexts.parse(JSON.parse(await readFile(join(folder, file), 'utf8')))
    } catch (error) {
      log.warn({ err: error, file }, 'portal.texts-unread')
    }
  }
  return texts
}
