/** Makes a value at its first use: what takes a millisecond to make is made by no process that does without it. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Makes each of the values at its first use. */
export function eachOnce<Makers extends Readonly<Record<string, () => unknown>>>(
  makers: Makers,
): { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> } {
  const values = {};
  for (const [name, make] of Object.entries(makers)) Object.defineProperty(values, name, { get: once(make) });
  return values as { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> };
}
