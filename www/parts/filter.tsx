/** @jsxImportSource preact */
/** Chooses which rows of a list are shown. */

export interface FilterProps<T extends string> {
  id: string;
  /** The name of the field for screen readers; with `isSaid` it is also seen. */
  label: string;
  isSaid?: boolean;
  value: T;
  /** Choices by name. `false` for one that makes no sense now. */
  of: readonly (readonly [name: T, title: string] | false)[];
  onChoose(name: T): void;
}

export function Filter<T extends string>({ id, label, isSaid, value, of, onChoose }: FilterProps<T>) {
  const select = (
    <select
      id={id}
      aria-label={isSaid ? undefined : label}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value as T)}
    >
      {of.map((choice) => {
        if (!choice) return null;
        const [name, title] = choice;
        return (
          <option key={name} value={name}>
            {title}
          </option>
        );
      })}
    </select>
  );
  return isSaid ? (
    <label for={id}>
      {label} {select}
    </label>
  ) : (
    select
  );
}
