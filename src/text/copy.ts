/** Copy of a text that outlives the one it was cut from: V8 keeps the whole text in memory as long as a substring is referenced. */
export const copyOf = (text: string): string => Buffer.from(text).toString()
