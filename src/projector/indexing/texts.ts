/** Texts of a document by field and language, and the texts it is sorted by. */

import { cutCodePoints } from '../../text/code-points.ts'
import { fold } from '../../text/fold.ts'
import { isObject, listOf, plainText, type Json, type JsonObject } from '../mappings/json.ts'
import type { Column } from './columns.ts'
import type { TextLanguage } from './rules.ts'

/** Field → language → texts, while they are being collected. */
export type Texts = Record<string, Record<string, string[]>>

/** Stands for the language of texts that have none, such as identifiers. */
export const noLanguage = 'x'

export function addText(texts: Texts, field: string, language: string, text: string): void {
  const languages = (texts[field] ??= {})
  const values = (languages[language] ??= [])
  if (!values.includes(text)) values.push(text)
}

function languageOf(rule: TextLanguage, holder: Json, language: string): string {
  if (rule === 'none') return noLanguage
  if (rule === 'en') return 'en'
  const own = rule === 'own' && isObject(holder) ? holder['language'] : undefined
  return typeof own === 'string' ? own : language
}

/** Adds what a value of the column says; `language` is the record's default language. */
export function collectTexts(texts: Texts, column: Column, json: Json, language: string): void {
  const { text } = column.rule
  if (!text) return
  for (const holder of listOf(json)) {
    for (const key of text.keys) {
      const value = key === '' ? holder : isObject(holder) ? holder[key] : undefined
      if (value === undefined) continue
      if (!isObject(value))
        addText(texts, column.path, languageOf(text.language, holder, language), plainText(value))
      else for (const tag in value) addText(texts, column.path, tag, plainText(value[tag] ?? ''))
    }
  }
}

const longest = 100
const sortText = (text: string) => cutCodePoints(fold(text), longest)

/** The language in which a record is sorted when none is named. */
function mainLanguage(map: JsonObject, languages: readonly string[]): string | undefined {
  return languages.find((language) => language in map) ?? ('en' in map ? 'en' : Object.keys(map)[0])
}

/** Adds the sort texts of a value: the first of several; of a language map each language and the main one. */
export function collectOrder(
  order: Record<string, string>,
  column: Column,
  json: Json,
  languages: readonly string[],
): void {
  const [holder] = listOf(json)
  if (holder === undefined) return
  for (const key of column.rule.order ?? []) {
    const name = key === '' ? column.path : `${column.path}.${key}`
    const value = key === '' ? holder : isObject(holder) ? holder[key] : undefined
    if (value === undefined) continue
    if (!isObject(value)) {
      order[name] = sortText(plainText(value))
      continue
    }
    for (const tag in value) order[`${name}.${tag}`] = sortText(plainText(value[tag] ?? ''))
    const main = mainLanguage(value, languages)
    const text = main === undefined ? undefined : order[`${name}.${main}`]
    if (text !== undefined) order[name] = text
  }
}
