/** The one style of the pages, inside each of them, and the policy that lets nothing else in. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Markup } from './markup.ts'

const text = readFileSync(new URL('report.css', import.meta.url), 'utf8')

/** Ours, from disk: no part of it is a text of others. */
export const style: Markup = { markup: text }

/** Content Security Policy (level 3): this style and nothing else, no scripts at all. */
export const policy = [
  `default-src 'none'`,
  `style-src 'sha256-${hash('sha256', text, 'base64')}'`,
  `img-src data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')
