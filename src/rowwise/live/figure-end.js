function render({ model, el }) {
  const figure = new Figure(model, el);
  return () => figure.leave();
}

export default { render };
