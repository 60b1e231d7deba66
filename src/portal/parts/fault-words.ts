/** Sentences about what is wrong with a value, in the language of the page: of typed texts, and of results of validations. */

import type { Editor } from '../../profile/form-editors.ts'
import type { FormField } from '../../profile/form-model.ts'
import { shortText } from '../../text/code-points.ts'
import { hiddenNames } from '../../text/hidden-characters.ts'
import { type Fields, textOr } from '../../text/json.ts'
import type { Translations } from '../translations.ts'
import type { HtmlContent } from '../html.ts'

/** Something that is wrong with a value. */
export type Fault = {
  /** Ending of the key of the sentence about it (`form-…`); absent where there is none. */
  readonly key?: string | undefined
  /** Language → message of the shape; one without language has the key `''`. */
  readonly messages?: Fields | undefined
  readonly value?: string | undefined
}

/** Words about a typed text that is no value of its field; `key` is the one of the message that the draft keeps. */
export const typedWords = (
  page: Translations,
  { pattern, bounds, message }: Pick<FormField, 'pattern' | 'bounds' | 'message'>,
  { message: key, text }: { readonly message?: string | undefined; readonly text: string },
): HtmlContent => {
  const isRuled = (pattern ?? bounds) !== undefined && /^(?:no-match|too-)/.test(key ?? '')
  return faultWords(page, { key, value: text, ...(isRuled && { messages: message }) })
}

/** Constraint component (W3C SHACL 4) by local name → ending of the key of a sentence about a value that breaks it. */
const sentences: Readonly<Record<string, string>> = {
  MinCountConstraintComponent: 'missing',
  QualifiedMinCountConstraintComponent: 'missing',
  MaxCountConstraintComponent: 'too-many',
  QualifiedMaxCountConstraintComponent: 'too-many',
  DatatypeConstraintComponent: 'no-match',
  NodeConstraintComponent: 'no-match',
  OrConstraintComponent: 'no-match',
  PatternConstraintComponent: 'no-match',
  NodeKindConstraintComponent: 'no-kind',
  ClassConstraintComponent: 'no-class',
  InConstraintComponent: 'no-choice',
  HasValueConstraintComponent: 'no-choice',
  MinLengthConstraintComponent: 'too-short',
  MaxLengthConstraintComponent: 'too-long',
  MinInclusiveConstraintComponent: 'too-small',
  MinExclusiveConstraintComponent: 'too-small',
  MaxInclusiveConstraintComponent: 'too-large',
  MaxExclusiveConstraintComponent: 'too-large',
  UniqueLangConstraintComponent: 'same-language',
  LanguageInConstraintComponent: 'other-language',
}

/** Sentences about a value that is not what an editor makes. */
const editorSentences: Readonly<Partial<Record<Editor, string>>> = {
  texts: 'no-text',
  prose: 'no-text',
  text: 'no-text',
  keywords: 'no-text',
  date: 'no-date',
  number: 'no-number',
  address: 'no-address',
  email: 'no-address',
  telephone: 'no-address',
  concept: 'no-concept',
  licence: 'no-concept',
  place: 'no-concept',
}

/** Ending of the key of the sentence about a broken constraint of a property; `undefined` where there is none. */
export function sentenceOf(component: string, editor?: Editor): string | undefined {
  const key = sentences[component.slice(component.lastIndexOf('#') + 1)]
  const isOfKind = key === 'no-match' || key === 'no-kind' || key === 'no-class'
  if (editor === undefined || !isOfKind) return key
  if (editor === 'nested') return key === 'no-match' ? undefined : key
  const own = editorSentences[editor]
  // An address may be of any class, and a text may have the wrong form.
  const isOwn = own === 'no-address' ? key !== 'no-class' : own !== 'no-text' || key === 'no-kind'
  return isOwn ? own : key
}

/**
 * Words about a fault: the message of the shape in the language of the page, else a sentence of the portal, else the message in
 * another language, which is marked.
 */
export function faultWords(
  { t, language, textOf, inLanguage }: Translations,
  { key, messages = {}, value = '' }: Fault,
): HtmlContent {
  const own = textOr(messages[language])
  if (own !== undefined) return shortText(own, 400)
  const text = key === 'hidden-characters' ? hiddenNames(value) : shortText(value, 80)
  const words = t(`form-${key ?? ''}`, { text })
  if (words !== `form-${key ?? ''}`) return words
  const other = textOf(messages)
  return other
    ? inLanguage({ ...other, text: shortText(other.text, 400) })
    : t('form-no-rule', { text })
}
