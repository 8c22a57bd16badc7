export function Budget() {
  return <h1>Budget</h1>;
}
