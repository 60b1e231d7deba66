/** A document as it arrives: taken apart only when somebody looks into it. */

import { hash } from 'node:crypto'
import type { Indexed, Sent } from '../threads/messages.ts'

export class Arrival {
  readonly id: string
  readonly hash: string
  /** As JSON text. */
  readonly record: string
  readonly #text: string
  #indexed: Indexed | undefined
  #print: string | undefined

  constructor({ id, put }: { readonly id: string; readonly put: NonNullable<Sent['put']> }) {
    this.id = id
    this.hash = put.hash
    this.record = put.record
    this.#text = put.indexed
  }

  get indexed(): Indexed {
    return (this.#indexed ??= JSON.parse(this.#text))
  }

  /** Two with the same one are stored and found alike; 132 bits of SHA-256. */
  get print(): string {
    const whole = () => hash('sha256', `${this.#text}\n${this.record}`, 'base64url')
    return (this.#print ??= whole().slice(0, 22))
  }
}
