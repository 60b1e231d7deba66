/** A value that does not show itself. */

import { inspect } from 'node:util'

/** What stands wherever a secret would have stood. */
export const mask = '•••'

/** Printed, joined, serialised or inspected it is the mask; only who asks for it gets the value. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value, for the one place that sends it. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return mask
  }

  toJSON(): string {
    return mask
  }

  [inspect.custom](): string {
    return mask
  }
}
